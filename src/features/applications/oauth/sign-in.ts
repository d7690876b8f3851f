import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { Client } from '../../../engine/data/client.ts'
import { Refusal } from '../../../engine/errors.ts'
import { answerOtherMethods, withHead } from '../../../engine/http/allowed-methods.ts'
import { fieldsOf } from '../../../engine/http/html.ts'
import { authenticate, confirmAuthentication } from '../../accounts/accounts.ts'
import type { Proof } from '../../accounts/second-factor/challenges.ts'
import { codeProof } from '../../accounts/second-factor/codes.ts'
import { askForPasskey, passkeyProof } from '../../accounts/second-factor/passkeys.ts'
import { names, type Problem, problemIn } from './form.ts'
import { type Entered, type FormPage, secondFactorPage } from './form-pages.ts'
import { lifetimes } from './provider.ts'
import { sessionOf } from './provider-request.ts'
import type { FindServer, OAuthService, Server } from './servers.ts'
import { saveWithin } from './stored-models.ts'
import { pageOfSuspended } from './suspended-page.ts'

/** The refusals that a form shows, so that people can correct what they have entered. */
const shown = new Set([
  'INVALID_CREDENTIALS',
  'SECOND_FACTOR_REQUIRED',
  'VALIDATION_FAILED',
  'CONFLICT',
  'RATE_LIMITED',
  'FORBIDDEN',
])

/** Runs what a form asks for. Returns the refusal if the form can show it. */
export async function refusedOr<T>(
  request: FastifyRequest,
  work: () => Promise<T>,
): Promise<T | { readonly refusal: Refusal }> {
  try {
    return await work()
  } catch (error) {
    if (!(error instanceof Refusal) || !shown.has(error.code)) throw error
    request.logEntry.report({ code: error.code })
    return { refusal: error }
  }
}

/** Whether a form was refused because its challenge was used or has expired. */
export const isTooLate = (refusal: Refusal): boolean => names(refusal, 'challenge')

// Pages show usernames with an `@`, and keyboards of phones add a space.
const username = z
  .string()
  .default('')
  .transform((entered) => entered.trim().replace(/^@/, ''))

/** What the form to sign in has. */
export const credentials = z.object({ username, password: z.string().default('') })

const continuation = z.object({
  challenge: z.string(),
  code: z.string().default(''),
  credential: z.string().optional(),
})

/** Where the form to sign in is sent, which passkeys it takes, and how it shows what was entered. */
type SignInForm = Pick<Server, 'relyingParty'> & {
  readonly action: string
  readonly leadsOn?: boolean
  readonly show: (entered: Entered) => FormPage
}

/** What answers the challenge of a sign-in in a form. */
function proofIn(
  service: OAuthService,
  { relyingParty }: SignInForm,
  { challenge, code, credential }: z.infer<typeof continuation>,
  address: string,
): Proof {
  if (relyingParty && credential)
    return passkeyProof(service.database.write.prisma, relyingParty, { challenge, credential })
  return codeProof(service, code, address)
}

/**
 * Checks what a form to sign in has, or the form with a code or a passkey that follows it, and runs `then` with the account in a
 * transaction that has locked it. Returns the page to show if that is refused, a second factor is needed, or the account is suspended.
 */
export async function signInByForm<T extends object>(
  service: OAuthService,
  request: FastifyRequest,
  form: SignInForm,
  then: (transaction: Client, accountId: string) => Promise<T>,
): Promise<T | { readonly page: FormPage }> {
  const { body, address } = request
  const fields = fieldsOf(body)
  const { data: continued } = continuation.safeParse(fields)
  const entered = credentials.parse(fields)
  const admit = async (transaction: Client, accountId: string) => {
    const page = await pageOfSuspended(transaction, accountId, service.contact)
    if (!page) return then(transaction, accountId)
    request.logEntry.report({ code: 'ACCOUNT_SUSPENDED' })
    return { page }
  }
  const done = await refusedOr(request, () =>
    continued
      ? confirmAuthentication(service, continued.challenge, proofIn(service, form, continued, address), admit)
      : authenticate(service, entered, address, admit),
  )
  if (!('refusal' in done)) return done
  const { refusal } = done
  const problem = problemIn(refusal)
  const { challenge } = refusal.details
  const ask = async (challenge: string, problem?: Problem) => {
    const { relyingParty } = form
    const passkey = relyingParty && (await askForPasskey(service.database.write.prisma, relyingParty, challenge))
    return { page: secondFactorPage({ ...form, challenge, passkey, problem }) }
  }
  if (challenge !== undefined) return ask(challenge)
  if (!continued) return { page: form.show({ problem, username: entered.username }) }
  if (isTooLate(refusal)) return { page: form.show({ problem: { message: 'This took too long. Sign in again.' } }) }
  return ask(continued.challenge, problem)
}

/** Adds the form that signs somebody in to a page of the server, which it then returns to. */
export function addSessionSignIn(
  scope: FastifyInstance,
  service: OAuthService,
  serverOf: FindServer,
  show: (reply: FastifyReply, page: FormPage) => Promise<FastifyReply>,
  { path, form }: { readonly path: string; readonly form: SignInForm['show'] },
): void {
  const action = `${path}/sign-in`
  const read = withHead('GET')
  // The address of a page that answers the form, which people reload or keep.
  scope.route({
    method: read,
    url: action,
    handler: async (request, reply) => reply.redirect(serverOf(request).issuer + path, 303),
  })
  answerOtherMethods(scope, { url: action, methods: [...read, 'POST'], takingBodies: [] })
  scope.post(action, async (request, reply) => {
    const server = serverOf(request)
    const { session, context, response } = await sessionOf(server, request)
    const shownForm = { action, show: form, relyingParty: server.relyingParty }
    const done = await signInByForm(service, request, shownForm, async (transaction, accountId) => {
      // Not under the id that the browser had before, which somebody else may know.
      session.resetIdentifier()
      session.loginAccount({ accountId })
      await saveWithin(transaction, session, lifetimes.Session)
      return { accountId }
    })
    if ('page' in done) return show(reply, done.page)
    context.cookies.set(server.provider.cookieName('session'), session.jti, server.sessionCookie)
    for (const cookie of response.cookies) reply.header('set-cookie', cookie)
    return reply.redirect(server.issuer + path, 303)
  })
}
