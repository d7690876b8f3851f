import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { globalIdOf, plainSchema } from '../../support/reference/schema.ts'
import { scopedOperations } from '../../support/schema/scoped-operations.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

const missing = '01900000-0000-7000-8000-000000000000'
const operations: Record<string, string> = {
  'Query.node': `{ node(id: "${globalIdOf('User', missing)}") { id } }`,
  'Query.nodes': '{ nodes(ids: []) { id } }',
  'Mutation.signOut': 'mutation { signOut { accessToken { id } } }',
}
for (const [coordinate, { source }] of Object.entries(
  scopedOperations({ post: missing, reply: missing, user: missing }),
)) {
  if (/^(?:Query|Mutation)\./.test(coordinate)) operations[coordinate] = source
}
const open = [
  ...['signIn', 'confirmSignIn', 'signUp', 'verifyEmail', 'requestPasswordReset', 'resetPassword'].map(
    (name) => `Mutation.${name}`,
  ),
  'Query.errorKinds',
  'Query.rateLimit',
  'Query.server',
]
const signUp = (more = '') =>
  'mutation { signUp(input: { username: "eve", email: "eve@example.org", password: "a long password" ' +
  `}) { token viewer { username ${more} } } }`

test('every root field requires a token, except those to sign in, of links in e-mails, and about prices, errors and the server', () => {
  const types = [plainSchema.getQueryType(), plainSchema.getMutationType()]
  const roots = types.flatMap((type) => Object.keys(type?.getFields() ?? {}).map((field) => `${type?.name}.${field}`))
  expect([...Object.keys(operations), ...open].sort()).toEqual(roots.sort())
})

describe('without a token', () => {
  test.each(Object.entries(operations))('%s is refused', async (_coordinate, source) => {
    const statements = await app.statementsOf(async () => {
      const { status, headers, data, errors } = await app.graphql(undefined, source)
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toBe(
        `Bearer realm="rookery", resource_metadata="${app.origin}/.well-known/oauth-protected-resource"`,
      )
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
  ])('%s is permitted', async (_name, source, data) => {
    expect(await app.graphql(undefined, source)).toMatchObject({ status: 200, data, errors: [] })
  })

  test.each([
    [
      'another mutation after it',
      () => signUp().replace(/}$/, 'createApplication(input: { name: "x" }) { application { uuid } } }'),
    ],
    ['a field below it that needs a scope', () => signUp('posts { totalCount }')],
  ])('signing up together with %s is refused as a whole', async (_name, source) => {
    const { data, errors } = await app.graphql(undefined, source())
    expect(data).toBeUndefined()
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }])
    expect(await app.database.write.prisma.user.count()).toBe(0)
  })

  test('signing up and signing in are permitted', async () => {
    const data = { token: expect.stringMatching(/^rookery_/), viewer: { username: 'eve' } }
    expect(await app.graphql(undefined, signUp())).toMatchObject({ status: 200, errors: [], data: { signUp: data } })
    const signIn =
      'mutation { signIn(input: { username: "eve", password: "a long password" }) { token viewer { username } } }'
    expect(await app.graphql(undefined, signIn)).toMatchObject({ status: 200, errors: [], data: { signIn: data } })
  })
})

describe.each(['nonsense', `rookery_${'A'.repeat(43)}`])('the invalid token %s', (token) => {
  test.each(['{ viewer { uuid } }', '{ __typename viewer { uuid } }', signUp('posts { totalCount }')])(
    'is refused where a token is required: %s',
    async (source) => {
      const { status, headers, data, errors } = await app.graphql(token, source)
      expect(status).toBe(401)
      expect(headers.get('www-authenticate')).toContain('Bearer realm="rookery", error="invalid_token"')
      expect(data).toBeUndefined()
      expect(errors).toMatchObject([
        { message: 'The bearer token is unknown, expired or revoked.', extensions: { code: 'UNAUTHENTICATED' } },
      ])
    },
  )

  test.each([
    '{ __typename }',
    '{ __type(name: "Post") { name } }',
    'mutation { signIn(input: { username: "nobody", password: "" }) { token } }',
    '{ not a document',
  ])('makes no difference where none is required: %s', async (source) => {
    const [sent, without] = [await app.graphql(token, source), await app.graphql(undefined, source)]
    const { status, data, errors } = without
    expect(sent).toMatchObject({ status, data, errors })
    expect(sent.headers.get('www-authenticate')).toBeNull()
  })
})

test('a token is asked for with the scheme Bearer', async () => {
  const token = `rookery_${'A'.repeat(43)}`
  for (const authorization of [`Token ${token}`, token, 'Basic YTpi', '']) {
    const { status, headers, errors } = await app.graphql(
      undefined,
      '{ viewer { uuid } }',
      {},
      { headers: { authorization } },
    )
    expect(status).toBe(401)
    expect(headers.get('www-authenticate')).toContain('Bearer realm="rookery", error="invalid_token"')
    const message =
      'The Authorization header must have the form "Bearer <token>", with a token that begins with "rookery_".'
    expect(errors).toMatchObject([{ message, extensions: { code: 'UNAUTHENTICATED' } }])
  }
})
