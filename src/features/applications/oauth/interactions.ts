import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { InteractionResults } from 'oidc-provider'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { z } from 'zod'
import type { Client } from '../../../engine/data/client.ts'
import { fieldsOf } from '../../../engine/http/html.ts'
import type { Scope } from '../../../engine/scopes.ts'
import { openAccount } from '../../accounts/accounts.ts'
import { scopesOfAccount } from '../../base/scopes.ts'
import { findClient, nameOfClient, storeClient } from '../clients.ts'
import { type Problem, problemIn } from './form.ts'
import {
  choicePage,
  consentPage,
  type Entered,
  type FormPage,
  messagePage,
  signInPage,
  signUpPage,
} from './form-pages.ts'
import { accountOf } from './provider.ts'
import { BufferedResponse, providerRequest, sessionOf } from './provider-request.ts'
import type { Consent } from './resources.ts'
import type { FindServer, OAuthService, Server } from './servers.ts'
import { credentials, refusedOr, signInByForm } from './sign-in.ts'
import { endSession, findUsedStep, saveWithin } from './stored-models.ts'

/** What the form to sign up has. An invitation may be its whole link. */
export const signUpFields = credentials.extend({
  email: z.string().trim().default(''),
  reason: z.string().default(''),
  invitation: z
    .string()
    .default('')
    .transform((text) => text.trim().replace(/^.*[?]invitation=/s, '')),
})
const parameters = z.object({
  client_id: z.string(),
  redirect_uri: z.string().optional(),
  scope: z.string().default(''),
  login_hint: z.string().default(''),
})

/** The query of a request with these parameters. */
function queryOf(parameters: object): URLSearchParams {
  const pairs = Object.entries(parameters).flatMap(([name, value]) => [value].flat().map((one) => [name, String(one)]))
  return new URLSearchParams(pairs)
}

/** The account that a session or a step has. Throws if there is none. */
function idIn(of: { readonly accountId?: string | undefined } | undefined): string {
  if (!of?.accountId) throw new errors.SessionNotFound('nobody is signed in')
  return of.accountId
}

const uidIn = ({ params }: FastifyRequest) => z.object({ uid: z.string() }).safeParse(params).data?.uid ?? ''

/** The path that begins the request of a step again which a first click has used; undefined for other steps. */
export async function pathOfUsed({ database }: OAuthService, request: FastifyRequest): Promise<string | undefined> {
  const used = await findUsedStep(database.write.prisma, uidIn(request))
  return used && `/oauth/authorize?${queryOf(used)}`
}

/**
 * The page to go to before a step that has signed in somebody else than the browser has meanwhile, in another tab; undefined for
 * other steps.
 */
export async function pathOfChoice(server: Server, request: FastifyRequest): Promise<string | undefined> {
  const uid = uidIn(request)
  const { accountId } = (await sessionOf(server, request)).session
  const entered = accountId && (await server.provider.Interaction.find(uid))?.result?.login?.accountId
  return entered && entered !== accountId ? `/oauth/step/${uid}/account` : undefined
}

/** Adds the steps between the request of an application and the answer to it: signing in or up, and consent. Each has its page. */
export function addInteractions(scope: FastifyInstance, service: OAuthService, serverOf: FindServer, show: Show): void {
  const { prisma } = service.database.write
  const hasMail = service.mail !== undefined

  /** The step that a request is about: that of its cookie, which no other path has. Throws if it asks for something else than `prompt`. */
  async function stepOf(request: FastifyRequest, prompt?: 'login' | 'consent') {
    const server = serverOf(request)
    const message = providerRequest(request, server.issuer)
    const step = await server.provider.interactionDetails(message, new BufferedResponse(message))
    if (prompt !== undefined && step.prompt.name !== prompt) throw new errors.SessionNotFound('the step is over')
    const asked = parameters.parse(step.params)
    const path = `/oauth/step/${step.uid}`
    const isDevice = step.deviceCode !== undefined
    const finish = async (reply: FastifyReply, result: InteractionResults, mergeWithLastSubmission = true) =>
      reply.redirect(
        await server.provider.interactionResult(message, new BufferedResponse(message), result, {
          mergeWithLastSubmission,
        }),
        303,
      )
    return { ...server, step, asked, path, isDevice, finish }
  }
  type Step = Awaited<ReturnType<typeof stepOf>>

  const signInForm = ({ path, asked }: Step, entered: Entered = { username: asked.login_hint }): FormPage =>
    signInPage({
      action: `${path}/sign-in`,
      signUp: service.admission.signUp !== 'closed' ? `${path}/sign-up` : undefined,
      hasMail,
      leadsOn: true,
      ...entered,
    })

  const signUpForm = ({ path }: Step, entered: Entered = {}): FormPage =>
    signUpPage({ action: `${path}/sign-up`, signIn: path, mode: service.admission.signUp, leadsOn: true }, entered)

  /**
   * Ends the step of signing in, in the transaction that has checked the password: a new one ends the step before it is used.
   * Whoever was signed in before on this browser is no longer.
   */
  const signedIn =
    ({ step }: Step) =>
    async (transaction: Client, accountId: string) => {
      if (step.session && step.session.accountId !== accountId) {
        await endSession(transaction, step.session.uid)
        delete step.session
      }
      step.result = { ...step.lastSubmission, login: { accountId } }
      await saveWithin(transaction, step, step.remainingTTL)
      return { returnTo: step.returnTo }
    }

  /** The scopes that an application asks for and the account may have, and whether it asks to moderate in vain. */
  async function offered({
    step,
    asked,
  }: Step): Promise<{ accountId: string; username: string; scopes: readonly Scope[]; asksToModerate: boolean }> {
    const account = await accountOf(prisma, idIn(step.session))
    if (!account) throw new errors.SessionNotFound('the account is closed')
    const allowed = scopesOfAccount(account.moderates)
    const wanted = new Set(asked.scope.split(' '))
    const asksToModerate = wanted.has('moderation.manage') && !account.moderates
    return { ...account, scopes: allowed.filter((name) => wanted.has(name)), asksToModerate }
  }

  /** The metadata of the client that asks. */
  async function clientOf({ provider, asked }: Step) {
    const client = await provider.Client.find(asked.client_id)
    if (!client) throw new errors.SessionNotFound('the client does not exist any more')
    return { ...client.metadata(), client_id: asked.client_id }
  }

  /** The page that asks what an application may do. */
  async function consentForm(current: Step, problem?: Problem): Promise<FormPage> {
    const { asked, path, isDevice } = current
    const { username, scopes, asksToModerate } = await offered(current)
    const client = await clientOf(current)
    const application = await findClient(prisma, asked.client_id)
    const ownerId = application?.ownerId
    const owner = ownerId ? await prisma.user.findUnique({ where: { id: ownerId }, select: { username: true } }) : null
    return consentPage({
      action: `${path}/consent`,
      clientId: asked.client_id,
      name: nameOfClient(client),
      owner: owner?.username,
      username,
      scopes,
      asksToModerate,
      redirectUri: isDevice ? undefined : asked.redirect_uri,
      canSwitch: !isDevice,
      problem,
    })
  }

  scope.get('/oauth/step/:uid', async (request, reply) => {
    const current = await stepOf(request)
    if (current.step.prompt.name === 'login') return show(reply, signInForm(current))
    return show(reply, await consentForm(current))
  })

  scope.post('/oauth/step/:uid/sign-in', async (request, reply) => {
    const current = await stepOf(request, 'login')
    const { path, relyingParty } = current
    const form = {
      action: `${path}/sign-in`,
      leadsOn: true,
      relyingParty,
      show: (it: Entered) => signInForm(current, it),
    }
    const done = await signInByForm(service, request, form, signedIn(current))
    return 'page' in done ? show(reply, done.page) : reply.redirect(done.returnTo, 303)
  })

  scope.get('/oauth/step/:uid/sign-up', async (request, reply) =>
    show(reply, signUpForm(await stepOf(request, 'login'))),
  )

  scope.post('/oauth/step/:uid/sign-up', async (request, reply) => {
    const current = await stepOf(request, 'login')
    const entered = signUpFields.parse(fieldsOf(request.body))
    const open = () => openAccount(service, entered, request.address, signedIn(current))
    const done = await refusedOr(request, open)
    if ('refusal' in done) return show(reply, signUpForm(current, { ...entered, problem: problemIn(done.refusal) }))
    return reply.redirect(done.returnTo, 303)
  })

  scope.post('/oauth/step/:uid/consent', async (request, reply) => {
    const current = await stepOf(request, 'consent')
    const { step, finish, issuer, isDevice } = current
    const form = new URLSearchParams(String(request.body))
    if (form.get('answer') === 'switch' && !isDevice) {
      await endSession(prisma, step.session?.uid ?? '')
      return reply.redirect(`${issuer}/oauth/authorize?${queryOf(step.params)}`, 303)
    }
    if (form.get('answer') !== 'allow')
      return finish(
        reply,
        { error: 'access_denied', error_description: 'the account holder denied the request' },
        false,
      )
    const { accountId, scopes } = await offered(current)
    const ticked = new Set(form.getAll('scope'))
    const chosen = scopes.filter((name) => ticked.has(name))
    const message = 'Select what the application is allowed to do, or deny.'
    if (chosen.length === 0) return show(reply, await consentForm(current, { message }))
    await storeClient(prisma, await clientOf(current))
    const consent: Consent = { accountId, scopes: chosen }
    return finish(reply, { consent })
  })

  /** Who has signed in to the browser meanwhile, and who in the step. Undefined if nobody is signed in to the browser any more. */
  async function accountsOf(request: FastifyRequest, current: Step) {
    const { session } = await sessionOf(current, request)
    const entered = idIn(current.step.result?.login)
    if (!session.accountId) return undefined
    const ids = [session.accountId, entered]
    const found = await prisma.user.findMany({ where: { id: { in: ids } }, select: { id: true, username: true } })
    const [here, signedIn] = ids.map((id) => found.find((account) => account.id === id))
    if (!here || !signedIn) throw new errors.SessionNotFound('there is nothing to choose')
    return { session, here, entered: signedIn }
  }

  scope.get('/oauth/step/:uid/account', async (request, reply) => {
    const current = await stepOf(request)
    const accounts = await accountsOf(request, current)
    if (!accounts) return reply.redirect(current.step.returnTo, 303)
    return show(reply, choicePage(`${current.path}/account`, accounts.here.username, accounts.entered.username))
  })

  scope.post('/oauth/step/:uid/account', async (request, reply) => {
    const current = await stepOf(request)
    const { step } = current
    const accounts = await accountsOf(request, current)
    // A first click may have chosen already.
    if (accounts && fieldsOf(request.body).account === 'entered') await endSession(prisma, accounts.session.uid)
    else if (accounts) {
      step.result = { ...step.result, login: { accountId: accounts.here.id } }
      await step.persist()
    }
    return reply.redirect(step.returnTo, 303)
  })

  scope.setErrorHandler(async (error, request, reply) => {
    if (!(error instanceof errors.SessionNotFound)) throw error
    const path = await pathOfUsed(service, request)
    if (path !== undefined) return reply.redirect(serverOf(request).issuer + path, 303)
    request.logEntry.report({ code: 'NOT_FOUND' })
    const text =
      'It was open for too long, or you opened it in another browser. Go back to the application and start again.'
    return show(reply, messagePage('This page has expired', text, 400))
  })
}

/** Sends a page. */
export type Show = (reply: FastifyReply, page: FormPage) => Promise<FastifyReply>
