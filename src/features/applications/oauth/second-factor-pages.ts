import type { FastifyInstance, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { Refusal } from '../../../engine/errors.ts'
import { answerOtherMethods, withHead } from '../../../engine/http/allowed-methods.ts'
import { fieldsOf } from '../../../engine/http/html.ts'
import { isSecret } from '../../accounts/second-factor/authenticators.ts'
import { addPasskey, beginPasskey, passkeysOf, removePasskey } from '../../accounts/second-factor/passkey-changes.ts'
import {
  recoveryCodesLeft,
  removeSecondFactor,
  renewRecoveryCodes,
  setSecondFactor,
} from '../../accounts/second-factor/setup.ts'
import { names, type Problem, problemIn } from './form.ts'
import { type Entered, type FormPage, messagePage, signInPage } from './form-pages.ts'
import type { Show } from './interactions.ts'
import { accountOf } from './provider.ts'
import { sessionOf } from './provider-request.ts'
import { changePage, passkeyPage, path, readChoice, recoveryPage, setupPage } from './second-factor-forms.ts'
import type { FindServer, OAuthService, Server } from './servers.ts'
import { addSessionSignIn, isTooLate, refusedOr } from './sign-in.ts'

const text = z.string().default('')

const fields = z.object({
  action: text,
  secret: text,
  code: text,
  password: text,
  name: z.string().trim().default(''),
  challenge: text,
  credential: text,
})

/** What the page shows again, and what is wrong with it. */
type Shown = {
  readonly choice?: string
  readonly secret?: string | undefined
  readonly name?: string
  readonly problem?: Problem
}

/** Whose second factor it is, by the session of the browser. */
type Account = { readonly accountId: string; readonly username: string }

/** The page for an account, with what it has entered. */
async function pageFor(
  { database, authenticators }: OAuthService,
  { relyingParty }: Server,
  { accountId, username }: Account,
  { secret, ...entered }: Shown = {},
): Promise<FormPage> {
  const { prisma } = database.write
  const recoveryCodes = await recoveryCodesLeft(prisma, accountId)
  if (recoveryCodes !== undefined) {
    const passkeys = await passkeysOf(prisma, accountId)
    return changePage({ recoveryCodes, passkeys, takesPasskeys: relyingParty !== undefined }, entered)
  }
  if (!authenticators)
    return messagePage('No second factor', 'This server has no key for second factors. Ask its operator.')
  return setupPage(authenticators.setupOf(username, secret), entered.problem)
}

/** What the page shows again after a refusal. */
function shownAfter(refusal: Refusal, { action: choice, secret, name }: z.infer<typeof fields>): Shown {
  const shown = { choice, name, secret: isSecret(secret) ? secret : undefined }
  if (isTooLate(refusal)) return { ...shown, problem: { message: 'This took too long. Try again.' } }
  if (names(refusal, 'secret')) return { ...shown, problem: { message: 'This page is incomplete. Scan the new code.' } }
  return { ...shown, problem: problemIn(refusal) }
}

/** Does what a form asks for. Returns the page to show then, if it is not that of the second factor. */
async function change(
  service: OAuthService,
  { relyingParty }: Server,
  { accountId: id }: Account,
  { action: choice, ...entered }: z.infer<typeof fields>,
  address: string,
): Promise<FormPage | undefined> {
  const owner = { id }
  const { action, passkey } = readChoice(choice)
  if (action === 'set') return recoveryPage(await setSecondFactor(service, owner, entered, address))
  else if (action === 'renew') return recoveryPage(await renewRecoveryCodes(service, owner, entered, address))
  else if (action === 'begin' && relyingParty)
    return passkeyPage(await beginPasskey(service, owner, relyingParty, entered, address))
  else if (action === 'add' && relyingParty) await addPasskey(service, owner, relyingParty, entered)
  else if (action === 'remove') await removeSecondFactor(service, owner, entered, address)
  else if (action === 'remove-passkey' && passkey !== '')
    await removePasskey(service, owner, { ...entered, id: passkey }, address)
  else throw new Refusal('VALIDATION_FAILED', 'Choose what you want to do.')
  return undefined
}

/** Adds the page on which people set up, change and remove their second factor. */
export function addSecondFactorPages(
  scope: FastifyInstance,
  service: OAuthService,
  serverOf: FindServer,
  show: Show,
): void {
  const form = (entered: Entered = {}) =>
    signInPage({ action: `${path}/sign-in`, hasMail: service.mail !== undefined, ...entered })

  /** Who is signed in to the browser. */
  async function accountIn(request: FastifyRequest) {
    const { session } = await sessionOf(serverOf(request), request)
    return session.accountId ? accountOf(service.database.write.prisma, session.accountId) : undefined
  }

  const read = withHead('GET')
  scope.route({
    method: read,
    url: path,
    handler: async (request, reply) => {
      const account = await accountIn(request)
      return show(reply, account ? await pageFor(service, serverOf(request), account) : form())
    },
  })
  answerOtherMethods(scope, { url: path, methods: [...read, 'POST'], takingBodies: [] })

  scope.post(path, async (request, reply) => {
    const account = await accountIn(request)
    if (!account) return show(reply, form())
    const [server, entered] = [serverOf(request), fields.parse(fieldsOf(request.body))]
    const done = await refusedOr(request, async () => ({
      page: await change(service, server, account, entered, request.address),
    }))
    if ('refusal' in done)
      return show(reply, await pageFor(service, server, account, shownAfter(done.refusal, entered)))
    return done.page ? show(reply, done.page) : reply.redirect(server.issuer + path, 303)
  })

  addSessionSignIn(scope, service, serverOf, show, { path, form })
}
