import { z } from 'zod'
import type { Answer, Person, TestApp } from './app.ts'

/** The password of everyone who signs up here. */
export const password = 'correct horse battery staple'

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

/** Who has just signed up or in. */
export function personOf({ data }: Answer): Person {
  const [payload] = Object.values(signedIn.parse(data))
  if (!payload) throw new TypeError('Nobody signed in')
  return { id: payload.viewer.uuid, username: payload.viewer.username, token: payload.token }
}
