import { Client, fetchExchange, gql } from '@urql/core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { publish } from '../support/publish.ts'

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

test('urql tells of a refused operation by its code', async () => {
  const narrow = await app.token(ada, ['user.get'])
  const { data, error } = await connect(narrow, false).query(timeline, { first: 1, after: null }).toPromise()
  expect(data).toBeUndefined()
  expect(error?.graphQLErrors.map(({ extensions }) => extensions)).toEqual([
    { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['POST_GET']] },
    { code: 'INSUFFICIENT_SCOPE', requiredScopes: [['REPLY_GET']] },
  ])
})

test('urql tells of a bad token', async () => {
  const { data, error } = await connect('rookery_none', true).query(timeline, { first: 1, after: null }).toPromise()
  expect(data).toBeUndefined()
  expect(error?.graphQLErrors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  expect(error?.response).toMatchObject({ status: 401 })
})
