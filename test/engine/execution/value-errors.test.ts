import { isInputType, isLeafType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { requirementOf } from '../../../src/engine/execution/value-errors.ts'
import { schema } from '../../../src/server/schema.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

async function errorsOf(source: string, variables = {}) {
  const { data, errors } = await app.graphql(ada.token, source, variables)
  expect(data).toBeUndefined()
  expect(JSON.stringify(errors)).not.toContain('originalError')
  for (const { extensions } of errors) expect(extensions.code).toBe('VALIDATION_FAILED')
  return errors
}

const isAt = (column: number) => [{ line: 1, column }]

describe('a value in a document is refused with its place and what it must be', () => {
  test.each([
    ['{ post(uuid: "x") { uuid } }', 'uuid', 'must be a UUID', 14],
    ['{ post(uuid: null) { uuid } }', 'uuid', 'is required', 14],
    ['{ user(by: { uuid: "x" }) { uuid } }', 'by.uuid', 'must be a UUID', 20],
    ['query ($u: UUID = "x") { post(uuid: $u) { uuid } }', 'uuid', 'must be a UUID', 19],
    ['{ homeTimeline(first: "x") { nodes { uuid } } }', 'first', 'must be a 32-bit whole number', 23],
    ['{ nodes(ids: [true]) { id } }', 'ids[0]', 'must be a string', 15],
    ['{ nodes(ids: ["VXNlcg==", null]) { id } }', 'ids[1]', 'is required', 27],
    ['{ publications(uuids: "x") { uuid } }', 'uuids', 'must be a UUID', 23],
    ['{ users(by: [{ username: "x" }, { uuid: "x" }]) { uuid } }', 'by[1].uuid', 'must be a UUID', 41],
    ['query ($u: [UUID!] = ["x"]) { publications(uuids: $u) { uuid } }', 'uuids[0]', 'must be a UUID', 23],
    ['mutation { sendPost(input: {}) { publication { uuid } } }', 'content', 'is required', 28],
    ['mutation { sendPost(input: "x") { publication { uuid } } }', 'input', 'must be an object', 28],
    [
      'mutation { createAccessToken(input: {name: "x", scopes: [POST]}) { token } }',
      'scopes[0]',
      'must be a value of Scope',
      58,
    ],
    [
      'mutation { createApplication(input: {name: "x", website: "q"}) { application { uuid } } }',
      'website',
      'must be an absolute URL',
      58,
    ],
    [
      'mutation { signUp(input: {username: "x", password: "12345678", email: "q"}) { token } }',
      'email',
      'must be an e-mail address',
      71,
    ],
  ])('%s', async (source, field, message, column) => {
    expect(await errorsOf(source)).toEqual([
      {
        message: `The value of ${field} ${message}.`,
        locations: isAt(column),
        extensions: { code: 'VALIDATION_FAILED', errors: [{ field, message }] },
      },
    ])
  })

  test('together with what the rules of its input say', async () => {
    const source =
      'mutation { sendReply(input: { parent: "x", content: " ", uuid: "y", locked: 1 }) { reply { uuid } } }'
    const found = (await errorsOf(source)).flatMap(({ extensions }) => extensions.errors)
    expect(found).toEqual([
      { field: 'parent', message: 'must be a UUID' },
      { field: 'uuid', message: 'must be a UUID' },
      { field: 'locked', message: 'must be true or false' },
      { field: 'content', message: 'must not be blank' },
    ])
  })

  test('each on its own', async () => {
    const errors = await errorsOf('{ a: post(uuid: "x") { uuid } b: post(uuid: "y") { uuid } nothing }')
    expect(errors.map(({ message, locations }) => [message, locations])).toEqual([
      ['The value of uuid must be a UUID.', isAt(17)],
      ['The value of uuid must be a UUID.', isAt(45)],
      ['Cannot query field "nothing" on type "Query".', isAt(59)],
    ])
  })
})

describe('a variable is refused with its place and what it must be', () => {
  const post = 'query ($u: UUID!) { post(uuid: $u) { uuid } }'
  const send = 'mutation ($i: SendPostInput!) { sendPost(input: $i) { publication { uuid } } }'
  const token = 'mutation ($i: CreateAccessTokenInput!) { createAccessToken(input: $i) { token } }'

  test.each([
    [post, { u: 'x' }, [['uuid', 'must be a UUID']]],
    [post, {}, [['uuid', 'is required']]],
    [post, { u: null }, [['uuid', 'is required']]],
    [
      'query ($u: [ID!]!) { nodes(ids: $u) { id } }',
      { u: [{}, 'x', true] },
      [
        ['ids[0]', 'must be a string'],
        ['ids[2]', 'must be a string'],
      ],
    ],
    [
      send,
      { i: { content: 5, locked: 'x', parent: 'y' } },
      [
        ['content', 'must be a string'],
        ['locked', 'must be true or false'],
        ['parent', 'must be a UUID'],
      ],
    ],
    [send, { i: { content: null } }, [['content', 'is required']]],
    [send, { i: { locked: true } }, [['content', 'is required']]],
    [
      token,
      { i: { name: 'x', scopes: ['POST'], expiresAt: 'now' } },
      [
        ['expiresAt', 'must be a time in RFC 3339 of the years 0 to 9999 in UTC, such as 2026-01-31T12:00:00Z'],
        ['scopes[0]', 'must be a value of Scope'],
      ],
    ],
    [
      'mutation ($p: UUID!, $c: String!) { sendReply(input: { content: $c, parent: $p }) { reply { uuid } } }',
      { p: 'x', c: ' ' },
      [
        ['parent', 'must be a UUID'],
        ['content', 'must not be blank'],
      ],
    ],
    [
      'mutation ($i: SignUpInput!) { signUp(input: $i) { token } }',
      { i: { username: 'a b', email: 'x', password: '123', displayName: null } },
      [
        ['email', 'must be an e-mail address'],
        ['password', 'must have 8 to 128 characters'],
        ['username', 'must have 1 to 30 characters of A-Z, a-z, 0-9 and _'],
      ],
    ],
    [
      'query ($by: [UserBy!]!) { users(by: $by) { uuid } }',
      { by: [{ uuid: 'x' }, { username: null }] },
      [
        ['by[0].uuid', 'must be a UUID'],
        ['by[1].username', 'is required'],
      ],
    ],
    [send, { i: 5 }, [['input', 'must be an object']]],
    [send, { i: { content: 'x', other: 1 } }, [['input', 'Field "other" is not defined by type "SendPostInput".']]],
  ])('%s with %j', async (source, variables, expected) => {
    const errors = await errorsOf(source, variables)
    const fields = errors.flatMap(({ extensions }) => extensions.errors)
    expect(fields).toEqual(expected.map(([field, message]) => ({ field, message })))
  })

  test('without repeating what was sent', async () => {
    const errors = await errorsOf(send, { i: { content: 'my secret', locked: 'my other secret', one: 1, two: 2 } })
    expect(errors).toHaveLength(3)
    expect(JSON.stringify(errors)).not.toContain('secret')
  })

  test('without repeating the argument that contains it', async () => {
    const source =
      'mutation ($c: String = "x") { createApplication(input: {name: $c, website: "https://secret.example"}) { application { uuid } } }'
    const [error] = await errorsOf(source, { c: null })
    expect(error?.message).toBe('The value of input is invalid, because a variable in it is null.')
  })

  test('with at most 20 errors', async () => {
    const unknown = Object.fromEntries(Array.from({ length: 900 }, (_, at) => [`field${at}`, at]))
    expect(await errorsOf(send, { i: unknown })).toHaveLength(20)
  })
})

test('the wrong element of a list of global ids is named, in a document as in a variable', async () => {
  const ids = [globalIdOf('User', ada.id), 'x', 'y']
  const answers = [
    await errorsOf(`{ nodes(ids: ${JSON.stringify(ids)}) { id } }`),
    await errorsOf('query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids }),
  ]
  for (const errors of answers) {
    expect(errors.map(({ extensions }) => extensions.errors)).toEqual([
      [{ field: 'ids[1]', message: 'is not a global id' }],
    ])
  }
})

describe('a time is refused if it is not of the years 0 to 9999 in UTC', () => {
  test.each(['0000-01-01T00:00:00+00:01', '9999-12-31T23:59:59-00:01'])('%s', async (time) => {
    const message = 'must be a time in RFC 3339 of the years 0 to 9999 in UTC, such as 2026-01-31T12:00:00Z'
    const input = (value: string) => `{ name: "x", scopes: [USER_GET], expiresAt: ${value} }`
    const inVariable = await errorsOf(
      `mutation ($at: DateTime) { createAccessToken(input: ${input('$at')}) { token } }`,
      {
        at: time,
      },
    )
    const inDocument = await errorsOf(`mutation { createAccessToken(input: ${input(JSON.stringify(time))}) { token } }`)
    expect([...inVariable, ...inDocument].map(({ extensions }) => extensions.errors)).toEqual([
      [{ field: 'expiresAt', message }],
      [{ field: 'expiresAt', message }],
    ])
  })
})

const leaves = Object.values(schema.getTypeMap()).filter((type) => isLeafType(type) && isInputType(type))

test.each(leaves)('an invalid value of %s is described', (type) => {
  expect(requirementOf(type, false)).toMatch(/^must be /)
})

test('errors of cursors and of sizes are reported together, in document order', async () => {
  const source = `query ($after: String, $before: String) {
    publicTimeline(first: 101, after: $after) { nodes { uuid } }
    homeTimeline(last: -1) { nodes { uuid } }
    other: publicTimeline(before: $before) { nodes { uuid } }
  }`
  const { data, errors } = await app.graphql(ada.token, source, { after: 'nonsense', before: 'no' })
  expect(data).toBeUndefined()
  expect(errors.map(({ extensions }) => extensions.errors)).toEqual([
    [expect.objectContaining({ field: 'first' }), expect.objectContaining({ field: 'after' })],
    [expect.objectContaining({ field: 'last' })],
    [expect.objectContaining({ field: 'before' })],
  ])
})

test.each(['', 'x'.repeat(201), 'a\u0000b'])(
  'a text without the form of its argument costs no search: %j',
  async (text) => {
    for (const field of ['searchUsers(text: $text) { uuid }', 'searchPublications(text: $text) { nodes { uuid } }']) {
      const { headers, errors } = await app.graphql(ada.token, `query ($text: String!) { ${field} }`, { text })
      expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', errors: [{ field: 'text' }] } }])
      expect(Number(headers.get('rookery-cost'))).toBeLessThan(500)
    }
  },
)
