import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { refused } from '../../support/graphql/refused.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const pages = (...sizes: string[]) =>
  `publicTimeline(${sizes[0]}) { nodes { replies(${sizes[1]}) { nodes { replies(${sizes[2]}) { nodes { uuid } } } } } }`
const ids = (count: number) =>
  Array.from({ length: count }, (_, index) =>
    globalIdOf('User', `01900000-0000-7000-8000-${`${index}`.padStart(12, '0')}`),
  )

const tooCostly: Record<string, [source: string, variables?: object]> = {
  'large pages': [`{ ${pages('first: 100', 'first: 100', 'first: 10')} }`],
  'sizes in defaults of variables': [
    `query ($size: Int = 100, $last: Int! = 100) { ${pages('first: $size', 'last: $last', 'first: $size')} }`,
  ],
  'pages in fragments': [
    `{ publicTimeline(first: 100) { ...A } }
     fragment A on PostConnection { edges { node { ...B } } }
     fragment B on Publication { replies(first: 100) { nodes { ...C } } }
     fragment C on Publication { ... on Reply { replies(first: 10) { totalCount nodes { uuid } } } }`,
  ],
  'pages behind a condition that holds': [
    `query ($yes: Boolean!) { ... @include(if: $yes) { ${pages('first: 100', 'first: 100', 'first: 10')} } }`,
    { yes: true },
  ],
  'many nodes with pages': [
    'query ($ids: [ID!]!) { nodes(ids: $ids) { ... on User { posts(first: 100) { nodes { replies(first: 10) { nodes { uuid } } } } } } }',
    { ids: ids(100) },
  ],
  'many publications with pages': [
    'query ($uuids: [UUID!]!) { publications(uuids: $uuids) { likers(first: 100) { nodes { followers(first: 10) { nodes { uuid } } } } } }',
    { uuids: Array.from({ length: 100 }, () => '01900000-0000-7000-8000-000000000000') },
  ],
  'rows that are skipped again and again': [
    '{ user(by: { username: "ada" }) { posts(first: 100) { nodes { author { posts(first: 98) { nodes { ' +
      'author { followers(first: 1, offset: 1000) { nodes { uuid } } } } } } } } } }',
  ],
  'home timelines of one post': [
    `{ ${Array.from({ length: 50 }, (_, index) => `t${index}: homeTimeline(first: 1) { nodes { uuid } }`).join(' ')} }`,
  ],
  'leaves under many aliases': [
    '{ publicTimeline(first: 100) { nodes { replies(first: 100) { nodes { ' +
      `${Array.from({ length: 48 }, (_, index) => `a${index}: createdAt`).join(' ')} } } } } }`,
  ],
  'introspection of the same again and again': [
    `{ ${Array.from({ length: 40 }, (_, index) => `s${index}: __schema { ...S }`).join(' ')} }
     fragment S on __Schema { types { name fields { name description args { name description } type { name } } } }`,
  ],
  'pages under a mutation': [
    'mutation { updateProfile(input: { bio: "x" }) { viewer { posts(first: 100) { nodes { replies(first: ' +
      '100) { nodes { replies(first: 10) { nodes { uuid } } } } } } } } }',
  ],
}

test('expensive introspection is also refused without a token', async () => {
  const [source = ''] = tooCostly['introspection of the same again and again'] ?? []
  const { data, errors } = await app.graphql(undefined, source)
  expect(data).toBeUndefined()
  expect(errors).toMatchObject([
    { message: expect.stringMatching(/costs at most/), extensions: { code: 'VALIDATION_FAILED' } },
  ])
})

test('without a token, one standard introspection query is permitted and two are refused', async () => {
  const once = getIntrospectionQuery()
  const twice = once.replace(
    '__schema {',
    'again: __schema { types { ...FullType } directives { args { ...InputValue } } } __schema {',
  )
  expect(await app.graphql(undefined, once)).toMatchObject({ status: 200, errors: [] })
  expect(await app.graphql(ada.token, twice)).toMatchObject({ status: 200, errors: [] })
  expect((await app.graphql(undefined, twice)).errors).toMatchObject([
    {
      message: expect.stringMatching(/^An operation costs at most 20000; /),
      extensions: { code: 'VALIDATION_FAILED' },
    },
  ])
})

test.each([
  ['below it', `{ ${pages('first: 100', 'first: 30', 'first: 3')} }`, {}],
  [
    'what a condition leaves out',
    `query ($no: Boolean = false) { viewer { uuid } ... @include(if: $no) { ${pages('first: 100', 'first: 100', 'first: 10')} } }`,
    {},
  ],
  [
    'a page of 100 posts, each with 100 replies',
    '{ publicTimeline(first: 100) { nodes { uuid content author { username displayName } replies(first: ' +
      '100) { totalCount pageInfo { hasNextPage endCursor } nodes { uuid createdAt likeCount ' +
      'viewerHasLiked author { username } } } } } }',
    {},
  ],
  [
    'texts of 100 posts with 20 replies each',
    '{ homeTimeline(first: 100) { nodes { content author { username bio } replies(first: 20) { nodes { ' +
      'content author { username bio } } } } } }',
    {},
  ],
  ['the last numbered page', '{ viewer { followers(first: 100, offset: 100000) { nodes { uuid bio } } } }', {}],
  [
    'ten home timelines',
    `{ ${Array.from({ length: 10 }, (_, index) => `t${index}: homeTimeline { nodes { content author { username } } }`).join(' ')} }`,
    {},
  ],
  ['the most nodes there may be', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ids(100) }],
])('%s is permitted', async (_name, source, variables) => {
  expect(await app.graphql(ada.token, source, variables)).toMatchObject({ status: 200, errors: [] })
})

describe('out-of-range arguments', () => {
  test.each<[string, string, object, string]>([
    ['first: 1000000', '{ publicTimeline(first: 1000000) { nodes { uuid } } }', {}, 'first'],
    ['in a variable', 'query ($n: Int) { viewer { posts(first: $n) { nodes { uuid } } } }', { n: 1_000_000 }, 'first'],
    [
      'on a page that is nested in none',
      '{ publicTimeline(first: 0) { nodes { replies(first: 101) { nodes { uuid } } } } }',
      {},
      'first',
    ],
    ['101 nodes', 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }', { ids: ids(101) }, 'ids'],
    ['no global id', 'query ($id: ID!) { node(id: $id) { id } }', { id: 'VXNlcjox' }, 'id'],
  ])('%s', async (_name, source, variables, field) => {
    const errors = await refused(app, ada, source, variables)
    expect(errors).toMatchObject([
      { extensions: { code: 'VALIDATION_FAILED', errors: [{ field, message: expect.any(String) }] } },
    ])
  })

  test('5,000 ids exceed the maximum body size', async () => {
    const source = 'query ($ids: [ID!]!) { nodes(ids: $ids) { id } }'
    const errors = await refused(app, ada, source, { ids: ids(5000) })
    expect(errors).toMatchObject([{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }])
  })

  test.each([
    ['null for what may not be null', 'query ($v: UUID! = null) { post(uuid: $v) { uuid } }', {}, undefined],
    [
      'null for a default',
      'query ($v: UUID = "01900000-0000-7000-8000-000000000000") { post(uuid: $v) { uuid } }',
      { v: null },
      undefined,
    ],
    ['null for a condition', 'query ($v: Boolean = true) { viewer { uuid @include(if: $v) } }', { v: null }, undefined],
    ['two ways to name a user', '{ user(by: { username: "ada", uuid: null }) { uuid } }', {}, undefined],
    ['no way to name a user', 'query ($by: UserBy!) { user(by: $by) { uuid } }', { by: {} }, 'by'],
  ])('%s', async (_name, source, variables, field) => {
    const errors = await refused(app, ada, source, variables)
    expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED', ...(field && { errors: [{ field }] }) } }])
  })
})
