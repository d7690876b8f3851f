import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { TestApp } from '../support/app.ts'
import { startApp } from '../support/app.ts'
import { globalIdOf, plainSchema } from '../support/reference.ts'
import { scopedOperations } from '../support/scoped-operations.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const missing = '01900000-0000-7000-8000-000000000000'
const operations: Record<string, string> = {
  'Query.node': `{ node(id: "${globalIdOf('User', missing)}") { id } }`,
  'Query.nodes': '{ nodes(ids: []) { id } }',
}
for (const [coordinate, { source }] of Object.entries(
  scopedOperations({ post: missing, reply: missing, user: missing }),
)) {
  if (/^(?:Query|Mutation)\./.test(coordinate)) operations[coordinate] = source
}
const open = ['Mutation.signIn', 'Mutation.signUp']
const signUp = (more = '') =>
  `mutation { signUp(input: { username: "eve", email: "eve@example.org", password: "a long password" }) { token viewer { username ${more} } } }`

test('every root field but two needs a token', () => {
  const types = [plainSchema.getQueryType(), plainSchema.getMutationType()]
  const roots = types.flatMap((type) => Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`))
  expect([...Object.keys(operations), ...open].sort()).toEqual(roots.sort())
})

describe('without a token', () => {
  test.each(Object.entries(operations))('%s is refused', async (_coordinate, source) => {
    const statements = await app.statementsOf(async () => {
      const { status, headers, data, errors } = await app.graphql(undefined, source)
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe('Bearer realm="rookery"')
      expect(data).toBeUndefined()
      expect(errors).toEqual([
        { message: expect.any(String), locations: expect.any(Array), extensions: { code: 'UNAUTHENTICATED' } },
      ])
    })
    expect(statements).toEqual([])
  })

  test.each([
    ['__typename', '{ __typename }', { __typename: 'Query' }],
    ['__typename of a mutation', 'mutation { __typename }', { __typename: 'Mutation' }],
    ['__schema', '{ __schema { queryType { name } } }', { __schema: { queryType: { name: 'Query' } } }],
    ['__type', '{ __type(name: "Post") { name } }', { __type: { name: 'Post' } }],
    ['a field that is left out', '{ __typename viewer @skip(if: true) { uuid } }', { __typename: 'Query' }],
  ])('%s is answered', async (_name, source, data) => {
    expect(await app.graphql(undefined, source)).toMatchObject({ status: 200, data, errors: [] })
  })

  test.each([
    [
      'another mutation after it',
      () => signUp().replace(/}$/, 'createApplication(input: { name: "x" }) { application { uuid } } }'),
    ],
    ['a field below it that needs a scope', () => signUp('posts { totalCount }')],
  ])('signing up with %s is refused as a whole', async (_name, source) => {
    const { data, errors } = await app.graphql(undefined, source())
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    expect(await app.database.read.user.count()).toBe(0)
  })

  test('signing up and in are answered', async () => {
    const data = { token: expect.stringMatching(/^rookery_/), viewer: { username: 'eve' } }
    expect(await app.graphql(undefined, signUp())).toMatchObject({ status: 200, errors: [], data: { signUp: data } })
    const signIn =
      'mutation { signIn(input: { username: "eve", password: "a long password" }) { token viewer { username } } }'
    expect(await app.graphql(undefined, signIn)).toMatchObject({ status: 200, errors: [], data: { signIn: data } })
  })
})

test.each(['nonsense', `rookery_${'A'.repeat(43)}`])('a bad token is refused, whatever is asked: %s', async (token) => {
  for (const source of ['{ __typename }', '{ viewer { uuid } }', '{ not a document']) {
    const { status, headers, errors } = await app.graphql(token, source)
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toBe('Bearer realm="rookery", error="invalid_token"')
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
  }
})
