import { z } from 'zod'
import { Passwords } from '../../src/domain/passwords.ts'
import type { Answer, Person, TestApp } from './app.ts'
import { sendRaw } from './raw-request.ts'

/** The password of everyone who signs up here. */
export const password = 'correct horse battery staple'

/** Hashes one password after another, each for longer than a request takes otherwise, so that many at once have to queue. */
export const queueing = () => new Passwords({ cost: { ln: 14, r: 8, p: 1 }, atOnce: 1 })

const signedIn = z.record(
  z.string(),
  z.object({ token: z.string(), viewer: z.object({ uuid: z.uuid(), username: z.string() }) }),
)

/** Creates an account in the way of clients. */
export function signUp(app: TestApp, input: object): Promise<Answer> {
  const document = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token viewer { uuid username } } }'
  return app.graphql(undefined, document, { input: { email: 'ada@example.org', password, ...input } })
}

/** Signs in. */
export function signIn(app: TestApp, username: string, secret = password): Promise<Answer> {
  const document = 'mutation ($input: SignInInput!) { signIn(input: $input) { token viewer { uuid username } } }'
  return app.graphql(undefined, document, { input: { username, password: secret } })
}

const refusal = z.object({ errors: z.tuple([z.object({ extensions: z.object({ code: z.string() }) })]) })

/** Signs in from another address of the loopback network, and answers `DONE` or the code of the refusal. */
export async function signInFrom(
  { origin }: TestApp,
  from: string,
  username: string,
  { secret = password, headers = {} }: { readonly secret?: string; readonly headers?: Record<string, string> } = {},
): Promise<string> {
  const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }'
  const { body } = await sendRaw(origin, {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', ...headers },
    pieces: [JSON.stringify({ query, variables: { input: { username, password: secret } } })],
    from,
  })
  const refused = refusal.safeParse(JSON.parse(body))
  return refused.success ? refused.data.errors[0].extensions.code : 'DONE'
}

/** Who has just signed up or in. */
export function personOf({ data }: Answer): Person {
  const [payload] = Object.values(signedIn.parse(data))
  if (!payload) throw new TypeError('Nobody signed in')
  return { id: payload.viewer.uuid, username: payload.viewer.username, token: payload.token }
}
