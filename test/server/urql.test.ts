import { Client, type CombinedError, fetchExchange, gql } from '@urql/core'
import { authExchange } from '@urql/exchange-auth'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { publish } from '../support/publish.ts'
import { password, personOf, signUp } from '../support/sign-in.ts'

type Author = { username: string }
type Timeline = {
  homeTimeline: {
    nodes: { content: string; author: Author; replies: { nodes: { content: string; author: Author }[] } }[]
    pageInfo: { hasNextPage: boolean; endCursor: string | null }
  }
}

const timeline = gql<Timeline, { first: number; after: string | null }>`
  query Timeline($first: Int!, $after: String) {
    homeTimeline(first: $first, after: $after) {
      nodes {
        content
        author { username }
        replies(first: 2) { nodes { content author { username } } }
      }
      pageInfo { hasNextPage endCursor }
    }
  }
`

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  const bob = await app.person('bob')
  for (let number = 1; number <= 7; number += 1) {
    const post = await publish(app, ada, { content: `Post ${number}` })
    for (const content of ['First', 'Second', 'Third']) await publish(app, bob, { content, parent: post })
  }
})
afterAll(() => app.close())

function connect(token: string, preferGetMethod: boolean): Client {
  return new Client({
    url: `${app.origin}/graphql`,
    exchanges: [fetchExchange],
    fetchOptions: { headers: { authorization: `Bearer ${token}` } },
    preferGetMethod,
  })
}

test.each([
  { method: 'GET', preferGetMethod: true },
  { method: 'POST', preferGetMethod: false },
])('urql pages forward through a nested timeline with $method', async ({ preferGetMethod }) => {
  const client = connect(ada.token, preferGetMethod)
  const pages: Timeline['homeTimeline']['nodes'][] = []
  let after: string | null = null
  for (let hasNextPage = true; hasNextPage && pages.length < 10; ) {
    const { data, error } = await client.query(timeline, { first: 3, after }).toPromise()
    expect(error).toBeUndefined()
    pages.push(data?.homeTimeline.nodes ?? [])
    hasNextPage = data?.homeTimeline.pageInfo.hasNextPage ?? false
    after = data?.homeTimeline.pageInfo.endCursor ?? null
  }
  const replies = ['First', 'Second'].map((content) => ({ content, author: { username: 'bob' } }))
  const post = (number: number) => ({
    content: `Post ${number}`,
    author: { username: 'ada' },
    replies: { nodes: replies },
  })
  expect(pages).toEqual([[7, 6, 5].map(post), [4, 3, 2].map(post), [1].map(post)])
})

test('urql reports a refused operation with its code', async () => {
  const narrow = await app.token(ada, ['user.get'])
  const { data, error } = await connect(narrow, false).query(timeline, { first: 1, after: null }).toPromise()
  expect(data).toBeUndefined()
  expect(error?.graphQLErrors.map(({ extensions }) => extensions)).toEqual([
    { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['POST_GET']] },
    { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['REPLY_GET']] },
  ])
})

test('urql reports an invalid token', async () => {
  const { data, error } = await connect('rookery_none', true).query(timeline, { first: 1, after: null }).toPromise()
  expect(data).toBeUndefined()
  expect(error?.graphQLErrors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  expect(error?.response).toMatchObject({ status: 401 })
})

const signIn = gql<{ signIn: { token: string } }, { username: string; password: string }>`
  mutation SignIn($username: String!, $password: String!) {
    signIn(input: { username: $username, password: $password }) { token }
  }
`
const codesOf = (error: CombinedError | undefined) => error?.graphQLErrors.map(({ extensions }) => extensions.code)

/** A client that signs in again when its token is rejected, and the tokens that it has got. */
function refreshing(token: string, credentials: { username: string; password: string }) {
  const tokens = [token]
  let errors: unknown
  const auth = authExchange(async ({ appendHeaders, mutate }) => ({
    addAuthToOperation: (operation) => appendHeaders(operation, { Authorization: `Bearer ${tokens.at(-1)}` }),
    didAuthError: (error) => codesOf(error)?.includes('UNAUTHENTICATED') ?? false,
    refreshAuth: async () => {
      const { data, error } = await mutate(signIn, credentials)
      errors = codesOf(error)
      if (data) tokens.push(data.signIn.token)
    },
  }))
  const client = new Client({ url: `${app.origin}/graphql`, exchanges: [auth, fetchExchange], preferGetMethod: false })
  return { client, tokens, errors: () => errors }
}

test("urql's authExchange signs in again when the token has expired", async () => {
  const bea = personOf(await signUp(app, { username: 'bea' }))
  const expired = await app.token(bea, ['post.get', 'reply.get'], { expiresAt: new Date(Date.now() - 1000) })
  const { client, tokens } = refreshing(expired, { username: 'bea', password })
  const { data, error } = await client.query(timeline, { first: 1, after: null }).toPromise()
  expect(error).toBeUndefined()
  expect(data?.homeTimeline.nodes).toEqual([])
  expect(tokens).toEqual([expired, expect.stringMatching(/^rookery_/)])
})

test("urql's authExchange does not take a wrong password for an expired token", async () => {
  const { client, tokens, errors } = refreshing('rookery_none', { username: 'ada', password: 'wrong password' })
  const { error } = await client.query(timeline, { first: 1, after: null }).toPromise()
  expect(codesOf(error)).toEqual(['UNAUTHENTICATED'])
  expect(errors()).toEqual(['INVALID_CREDENTIALS'])
  expect(tokens).toHaveLength(1)
})
