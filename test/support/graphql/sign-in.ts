import { z } from 'zod'
import type { Answer, Person, TestApp } from '../app.ts'
import { sendRaw } from '../http/raw-request.ts'

/** The password of all accounts that sign up here. */
export const password = 'correct horse battery staple'

const signedIn = z.record(
  z.string(),
  z.object({ token: z.string(), viewer: z.object({ uuid: z.uuid(), username: z.string() }) }),
)

/** Signs up as a client does. */
export function signUp(app: Pick<TestApp, 'graphql'>, input: object): Promise<Answer> {
  const document = 'mutation ($input: SignUpInput!) { signUp(input: $input) { token viewer { uuid username } } }'
  return app.graphql(undefined, document, { input: { email: 'ada@example.org', password, ...input } })
}

/** Signs in. */
export function signIn(app: Pick<TestApp, 'graphql'>, username: string, secret = password): Promise<Answer> {
  const document = 'mutation ($input: SignInInput!) { signIn(input: $input) { token viewer { uuid username } } }'
  return app.graphql(undefined, document, { input: { username, password: secret } })
}

const refusal = z.object({ errors: z.tuple([z.object({ extensions: z.object({ code: z.string() }) })]) })

type SignInOptions = {
  readonly secret?: string
  readonly headers?: Record<string, string>
  readonly earlierToken?: string
}

/** Executes an operation from another loopback address, and returns `DONE` or the code of the refusal. */
async function outcomeFrom({ origin }: TestApp, from: string, operation: object, headers: Record<string, string>) {
  const { body } = await sendRaw(origin, {
    method: 'POST',
    path: '/graphql',
    headers: { 'content-type': 'application/json', ...headers },
    pieces: [JSON.stringify(operation)],
    from,
  })
  const refused = refusal.safeParse(JSON.parse(body))
  return refused.success ? refused.data.errors[0].extensions.code : 'DONE'
}

/** Signs in from another loopback address, and returns `DONE` or the code of the refusal. */
export function signInFrom(
  app: TestApp,
  from: string,
  username: string,
  { secret = password, headers = {}, earlierToken }: SignInOptions = {},
): Promise<string> {
  const query = 'mutation ($input: SignInInput!) { signIn(input: $input) { token } }'
  return outcomeFrom(app, from, { query, variables: { input: { username, password: secret, earlierToken } } }, headers)
}

/** Changes the password to itself from another loopback address, and returns `DONE` or the code of the refusal. */
export function changePasswordFrom(
  app: TestApp,
  from: string,
  token: string,
  currentPassword: string,
): Promise<string> {
  const query = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { viewer { uuid } } }'
  const variables = { input: { currentPassword, newPassword: password } }
  return outcomeFrom(app, from, { query, variables }, { authorization: `Bearer ${token}` })
}

/** The viewer and the token in a sign-up or sign-in payload. */
export function personOf({ data }: Answer): Person {
  const [payload] = Object.values(signedIn.parse(data))
  if (!payload) throw new TypeError('Nobody signed in')
  return { id: payload.viewer.uuid, username: payload.viewer.username, token: payload.token }
}
