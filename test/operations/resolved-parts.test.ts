import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxResolved } from '../../src/operations/price.ts'
import { makeToken } from '../support/access-tokens.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { columnOf, hide } from '../support/hide.ts'
import { publish } from '../support/publish.ts'
import { globalIdOf } from '../support/reference.ts'
import { refused } from '../support/refused.ts'
import { times } from '../support/times.ts'

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

describe('a result that resolvers return', () => {
  const flags = times(20, (index) => `f${index}: locked`)
  const pages = (size: number) =>
    `posts(first: 100) { nodes { author { posts(first: ${size}) { nodes { ${flags} } } } } }`
  const texts = 'posts(first: 100) { nodes { author { posts(first: 12) { nodes { content } } } } }'
  const found = (selection: string) => `node(id: "${globalIdOf('User', ada.id)}") { ... on User { ${selection} } }`

  const lookups = (count: number) => {
    const ids = JSON.stringify(Array.from({ length: 100 }, () => globalIdOf('User', ada.id)))
    return `query ($ids: [ID!]! = ${ids}) { ${times(count, (index) => `n${index}: nodes(ids: $ids) { id }`)} }`
  }

  const payload = (size: number) =>
    `mutation { toggleLike(input: { uuid: "${post}" }) { publication { author { ${pages(size)} } } } }`
  const introspection = '__schema { types { fields { type { fields { type { name } } } } } }'
  const told = /could return (?<values>\d+) values and (?<bytes>\d+) bytes/

  test.each([
    ['values', 'a lookup by id', () => `{ ${found(pages(8))} }`],
    ['values', 'several lookups together', () => `{ ${found(pages(4))} again: ${found(pages(4))} }`],
    ['values', 'a payload', () => payload(8)],
    ['values', 'introspection beside a lookup', () => `{ ${found(pages(4))} ${introspection} }`],
    ['values', 'lookups of 2,000 ids', () => lookups(20)],
    ['bytes', 'a lookup by id', () => `{ ${found(texts)} }`],
  ] as const)('is refused for too many %s of %s', async (unit, _of, source) => {
    const [error] = await refused(app, ada, source())
    expect(error).toMatchObject({
      message: expect.stringContaining(`at most ${maxResolved.values} values and ${maxResolved.bytes} bytes`),
      extensions: { code: 'VALIDATION_FAILED' },
    })
    const could = told.exec(error?.message ?? '')?.groups
    for (const each of ['values', 'bytes'] as const) {
      expect(Number(could?.[each]) > maxResolved[each]).toBe(each === unit)
    }
    expect(await app.database.write.prisma.like.count()).toBe(0)
  })

  test('may be as large as the limits permit', async () => {
    expect((await app.graphql(ada.token, lookups(16))).errors).toEqual([])
    expect((await app.graphql(ada.token, `{ ${found(pages(4))} }`)).errors).toEqual([])
    expect((await app.graphql(ada.token, payload(4))).errors).toEqual([])
  })

  test('does not limit what one statement answers beside it', async () => {
    const source = `{ rateLimit { cost } viewer { ${pages(90)} } }`
    expect(await app.graphql(ada.token, source)).toMatchObject({ data: { viewer: { posts: {} } }, errors: [] })
  })

  test('is limited for a token that may not read all that a query may find', async () => {
    const { token } = await makeToken(app, ada.token, { scopes: ['POST_GET', 'USER_GET'] })
    const source = `{ publications(uuids: ["${post}"]) { author { ${pages(8)} } } }`
    expect((await app.graphql(ada.token, source)).errors).toEqual([])
    const errors = await refused(app, { ...ada, token }, source)
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }])
  })
})
