import { createHash } from 'node:crypto'
import { ApolloClient, ApolloLink, CombinedGraphQLErrors, gql, HttpLink, InMemoryCache } from '@apollo/client'
import { PersistedQueryLink } from '@apollo/client/link/persisted-queries'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { password, personOf, signUp } from '../../support/graphql/sign-in.ts'

let app: TestApp
let ada: Person
let expired: string
let full: TestApp
beforeAll(async () => {
  app = await startApp()
  full = await startApp({ requestsPerAddress: 0 }, sharing(app))
  ada = personOf(await signUp(app, { username: 'ada' }))
  expired = await app.token(ada, ['user.get'], { expiresAt: new Date(Date.now() - 1000) })
})
afterAll(async () => {
  await full.close()
  await app.close()
})

const viewer = gql('{ viewer { username } }')
const signIn = gql(`mutation ($input: SignInInput!) { signIn(input: $input) { token } }`)

type Options = {
  readonly token?: string
  readonly origin?: string
  readonly headers?: Record<string, string>
  readonly links?: ApolloLink[]
  readonly fetch?: typeof fetch
}

function connect({ token, origin = app.origin, headers = {}, links = [], ...more }: Options): ApolloClient {
  const http = new HttpLink({
    uri: `${origin}/graphql`,
    ...more,
    headers: { ...(token !== undefined && { authorization: `Bearer ${token}` }), ...headers },
  })
  return new ApolloClient({ link: ApolloLink.from([...links, http]), cache: new InMemoryCache() })
}

/** The codes of the GraphQL errors that Apollo Client reports. Any other error counts as itself. */
async function codesOf(work: Promise<unknown>): Promise<unknown> {
  try {
    return await work
  } catch (error) {
    return CombinedGraphQLErrors.is(error) ? error.errors.map(({ extensions }) => extensions?.code) : error
  }
}

describe('Apollo Client reports the code', () => {
  test('of an expired token', async () => {
    expect(await codesOf(connect({ token: expired }).query({ query: viewer }))).toEqual(['UNAUTHENTICATED'])
  })

  test('of a body that is too large', async () => {
    const mutation = gql('mutation ($input: SendPostInput!) { sendPost(input: $input) { publication { uuid } } }')
    const variables = { input: { content: 'x'.repeat(300_000) } }
    expect(await codesOf(connect({ token: ada.token }).mutate({ mutation, variables }))).toEqual(['PAYLOAD_TOO_LARGE'])
  })

  test('of an overloaded server', async () => {
    const client = connect({ token: ada.token, origin: full.origin })
    expect(await codesOf(client.query({ query: viewer }))).toEqual(['UNAVAILABLE'])
  })

  test('of a subscription, which it does not send over Server-Sent Events by itself', async () => {
    const client = connect({ token: ada.token })
    const error = await new Promise((resolve) => {
      client
        .subscribe({ query: gql('subscription { changes(of: { public: true }) { kind } }') })
        .subscribe(({ error }) => resolve(error))
    })
    expect(error).toMatchObject({
      errors: [{ message: expect.stringContaining('text/event-stream'), extensions: { code: 'BAD_REQUEST' } }],
    })
  })
})

test('Apollo Client signs in while it sends an expired token', async () => {
  const variables = { input: { username: 'ada', password } }
  const { data } = await connect({ token: expired }).mutate({ mutation: signIn, variables })
  expect(data).toMatchObject({ signIn: { token: expect.stringMatching(/^rookery_/) } })
})

describe('Apollo Client with automatic persisted queries', () => {
  test.each([false, true])('gets its data, with GET for hashes: %s', async (useGETForHashedQueries) => {
    const withDocument: boolean[] = []
    const watch: typeof fetch = (url, init) => {
      withDocument.push(`${url} ${init?.body}`.includes('viewer'))
      return fetch(url, init)
    }
    const sha256 = async (document: string) => createHash('sha256').update(document).digest('hex')
    const persisted = new PersistedQueryLink({ sha256, useGETForHashedQueries })
    const client = connect({ token: ada.token, links: [persisted], fetch: watch })
    const data = { viewer: { __typename: 'User', username: 'ada' } }
    expect(await client.query({ query: viewer, fetchPolicy: 'no-cache' })).toMatchObject({ data })
    expect(await client.query({ query: viewer, fetchPolicy: 'no-cache' })).toMatchObject({ data })
    // It sends a hash once, and only documents after it has learned that hashes are not supported.
    expect(withDocument).toEqual([false, true, true])
  })
})
