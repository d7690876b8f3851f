import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { columnOf, hide } from '../../support/database/hide.ts'
import { makeToken } from '../../support/graphql/access-tokens.ts'
import { publish } from '../../support/graphql/publish.ts'
import { globalIdOf } from '../../support/reference/schema.ts'
import { times } from '../../support/times.ts'

let app: TestApp
let ada: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  post = await publish(app, ada, { content: 'Hello' })
})
afterAll(() => app.close())

/** The text of the response to a query. */
async function textOf(query: string): Promise<string> {
  const headers = { 'content-type': 'application/json', authorization: `Bearer ${ada.token}` }
  const response = await fetch(`${app.origin}/graphql`, { method: 'POST', headers, body: JSON.stringify({ query }) })
  return response.text()
}

describe('a query that needs resolvers for some of its root fields', () => {
  test('returns all fields in the order of the document', async () => {
    const source = `{
      found: node(id: "${globalIdOf('Post', post)}") { ... on Post { content } }
      post(uuid: "${post}") { content }
      __typename
      __schema { __typename }
      viewer { username }
      __type(name: "Post") { name }
    }`
    const data = [
      '"found":{"content":"Hello"}',
      '"post":{"content":"Hello"}',
      '"__typename":"Query"',
      '"__schema":{"__typename":"__Schema"}',
      '"viewer":{"username":"ada"}',
      '"__type":{"name":"Post"}',
    ]
    expect(await textOf(source)).toBe(`{"data":{${data.join(',')}}}`)
  })

  test('reads all others by one statement', async () => {
    const source = `{
      rateLimit { limit } viewer { username } post(uuid: "${post}") { content } publicTimeline { nodes { content } }
    }`
    await textOf(source)
    expect(await app.statementsOf(() => textOf(source))).toHaveLength(1)
  })

  test('runs a statement for what it reads, and one for each lookup', async () => {
    const source = `{ viewer { username } node(id: "${globalIdOf('Post', post)}") { ... on Post { content } } }`
    await textOf(source)
    expect(await app.statementsOf(() => textOf(source))).toHaveLength(2)
  })

  test('returns what it reads alongside the error of a resolver', async () => {
    await hide(app.database, columnOf('table access_tokens', 'name'))
    const token = globalIdOf('AccessToken', post)
    const nonNull = `{ viewer { username } nodes(ids: ["${token}"]) { ... on AccessToken { name } } }`
    const { data, errors } = await app.graphql(ada.token, nonNull)
    expect(data).toBeNull()
    expect(errors).toMatchObject([{ path: ['nodes'], extensions: { code: 'INTERNAL' } }])
    const source = `{ viewer { username } node(id: "${token}") { ... on AccessToken { name } } __typename }`
    const nullable = await app.graphql(ada.token, source)
    expect(nullable.data).toEqual({ viewer: { username: 'ada' }, node: null, __typename: 'Query' })
    expect(nullable.errors).toMatchObject([{ path: ['node'], extensions: { code: 'INTERNAL' } }])
  })

  test('returns what resolvers return alongside the errors of its statement', async () => {
    await hide(app.database, columnOf('table users', 'bio'))
    const source = `{ viewer { bio } __schema { __typename } __typename me: viewer { text: bio } }`
    const { data, errors } = await app.graphql(ada.token, source)
    const found = { viewer: null, __schema: { __typename: '__Schema' }, __typename: 'Query', me: null }
    expect(data).toEqual(found)
    expect(errors).toMatchObject([
      { path: ['viewer'], extensions: { code: 'INTERNAL' } },
      { path: ['me'], extensions: { code: 'INTERNAL' } },
    ])
    const nonNull = await app.graphql(ada.token, `{ rateLimit { limit } publicTimeline { nodes { author { bio } } } }`)
    expect(nonNull.data).toBeNull()
    expect(nonNull.errors).toMatchObject([{ path: ['publicTimeline'], extensions: { code: 'INTERNAL' } }])
  })
})

describe('a result that resolvers read', () => {
  const texts = (size: number) =>
    `posts(first: ${size}) { nodes { author { posts(first: 30) { nodes { content } } } } }`
  const found = (selection: string) => `node(id: "${globalIdOf('User', ada.id)}") { ... on User { ${selection} } }`
  const payload = (size: number) =>
    `mutation { toggleLike(input: { uuid: "${post}" }) { publication { author { ${texts(size)} } } } }`
  const tooLarge = /at most 262144 bytes; this one has \d+\. Select fewer fields/

  beforeAll(async () => {
    for (const _nth of times(30, String)) await publish(app, ada, { content: 'é'.repeat(500) })
  })

  test.each([
    ['a lookup by id', () => `{ ${found(texts(30))} }`],
    ['several lookups together', () => `{ ${found(texts(5))} again: ${found(texts(5))} }`],
    [
      'many objects of one lookup',
      () => {
        const ids = Array(30).fill(`"${globalIdOf('User', ada.id)}"`)
        return `{ nodes(ids: [${ids}]) { ... on User { posts(first: 30) { nodes { content } } } } }`
      },
    ],
  ])('is refused if there is too much of %s', async (_of, source) => {
    const { errors } = await app.graphql(ada.token, source())
    expect(errors).toMatchObject([
      { message: expect.stringMatching(tooLarge), extensions: { code: 'VALIDATION_FAILED' } },
    ])
  })

  test('is not returned by a mutation, which is done', async () => {
    const { errors } = await app.graphql(ada.token, payload(30))
    const message = expect.stringMatching(/^This was done, but .* has at most 262144 bytes/)
    expect(errors).toMatchObject([{ message, extensions: { code: 'OUTCOME_UNKNOWN' } }])
    expect(await app.database.write.prisma.like.count()).toBe(1)
  })

  test('may be as large as the limit permits', async () => {
    expect((await app.graphql(ada.token, `{ ${found(texts(5))} }`)).errors).toEqual([])
    expect((await app.graphql(ada.token, payload(5))).errors).toEqual([])
  })

  test('does not limit what one statement answers beside it', async () => {
    const source = `{ rateLimit { cost } viewer { ${texts(30)} } }`
    expect(await app.graphql(ada.token, source)).toMatchObject({ data: { viewer: { posts: {} } }, errors: [] })
  })

  test('is limited for a token that may not read all that a query may find', async () => {
    const { token } = await makeToken(app, ada.token, { scopes: ['POST_GET', 'USER_GET'] })
    const source = `{ publications(uuids: ["${post}"]) { author { ${texts(30)} } } }`
    expect((await app.graphql(ada.token, source)).errors).toEqual([])
    expect((await app.graphql(token, source)).errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }])
  })
})
