import { getIntrospectionQuery } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { refused } from '../../support/graphql/refused.ts'
import { times } from '../../support/times.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

/** This many levels of fields, the last of them a leaf. */
const deep = (levels: number) =>
  `{ viewer ${times(levels - 2, (index) => (index % 2 === 0 ? '{ following(first: 1)' : '{ nodes'))} { uuid ${'}'.repeat(levels)}`

/** A chain of fragments, each of which spreads the next one twice. */
const fanOut = (on: string, twice: (next: string) => string, last: string, levels = 16) =>
  `${times(levels, (index) => `fragment F${index} on ${on} { ${twice(`...F${index + 1}`)} }`)} fragment F${levels} on ${on} { ${last} }`

const reply = '{ reply(uuid: "01900000-0000-7000-8000-000000000000")'

const tooLarge: Record<string, [source: string, message: RegExp]> = {
  'one level too many': [deep(21), /at most 20 levels deep/],
  'levels that are hidden in fragments': [
    '{ viewer { ...F0 } } ' +
      `${times(15, (index) => `fragment F${index} on User { following { nodes { ...F${index + 1} } } }`)} ` +
      'fragment F15 on User { uuid }',
    /at most 20 levels deep/,
  ],
  'an alias of 64 characters': [`{ viewer { ${'a'.repeat(64)}: uuid } }`, /alias has at most 63 characters/],
  '51 aliases, some of them in a fragment': [
    `{ viewer { ...F ${times(25, (index) => `a${index}: uuid`)} } } fragment F on User { ${times(26, (index) => `b${index}: uuid`)} }`,
    /at most 50 aliases/,
  ],
  'a fan-out of fragments': [
    `{ viewer { ...F0 } } ${fanOut('User', (next) => `${next} ${next}`, 'uuid')}`,
    /selects at most|costs at most/,
  ],
  'a fan-out of pages': [
    '{ viewer { ...F0 } } ' +
      `${fanOut('User', (next) => `a: posts(first: 0) { nodes { author { ${next} ${next} } } } b: posts(last: 0) { totalCount } ${next}`, 'uuid', 6)}`,
    /selects at most|costs at most/,
  ],
  'what is asked for differently of posts and replies, level after level': [
    `{ post(uuid: "019ab2c4-9f30-7e5c-8b22-7d3e4f506172") { ...F0 } } ${fanOut(
      'Publication',
      (next) => `... on Reply { parentUuid } replies(first: 0) { nodes { parent { ${next} } } }`,
      times(20, (index) => `r${index}: replies(first: 0) { nodes { uuid } pageInfo { hasNextPage } }`),
      5,
    )}`,
    /^This operation is too large/,
  ],
  'a fan-out in introspection': [
    `{ __schema { types { ...F0 } } } ${fanOut('__Type', (next) => `a: ofType { ${next} } b: ofType { ${next} }`, 'name')}`,
    /at most/,
  ],
  'a fan-out in an operation that is not the one to run': [
    `query A { viewer { uuid } } query B { viewer { ...F0 } } ${fanOut('User', (next) => `${next} ${next}`, 'uuid')}`,
    /at most/,
  ],
  'fragments that hold one another': [
    '{ viewer { ...F } } fragment F on User { a: following { nodes { ...G } } } fragment G on User { ...F }',
    /within itself/,
  ],
  '100 fragments in a cycle': [
    `{ ...F0 } ${times(100, (index) => `fragment F${index} on Query { ...F${(index + 1) % 100} }`)}`,
    /within itself/,
  ],
  '11 directives on a field': [
    `{ viewer { uuid ${times(11, () => '@include(if: true)')} } }`,
    /at most 10 directives at one place/,
  ],
  '51 directives': [
    `{ viewer { ${times(26, () => 'uuid @include(if: true)')} ${times(25, () => '...F @skip(if: false)')} } } fragment F on User { uuid }`,
    /at most 50 directives/,
  ],
}

describe.each(Object.entries(tooLarge))('%s', (_name, [source, message]) => {
  test('is refused while other queries are served', async () => {
    const errors = await refused(app, ada, source)
    expect(errors.filter(({ extensions }) => extensions.code !== 'VALIDATION_FAILED')).toEqual([])
    expect(errors.map((error) => error.message).join()).toMatch(message)
  })
})

test('a message that names much of the document is shortened', async () => {
  const name = (index: number) => `F${index}`.padEnd(250, '_')
  const source = `{ ...${name(0)} } ${times(25, (index) => `fragment ${name(index)} on Query { ...${name((index + 1) % 25)} }`)}`
  const [error] = await refused(app, ada, source)
  expect(error?.message).toMatch(/within itself/)
  expect(error?.message).toHaveLength(1_001)
})

test('a message that contains a long name still ends with the reason', async () => {
  const source = 'mutation ($input: SendPostInput!) { sendPost(input: $input) { publication { uuid } } }'
  const [error] = await refused(app, ada, source, { input: { content: 'x', ['n'.repeat(3_000)]: 1 } })
  expect(error?.message).toHaveLength(1_001)
  expect(error?.message).toMatch(/ is not defined by type "SendPostInput"\.$/)
  expect(JSON.stringify(error).length).toBeLessThan(2_500)
})

test.each([
  ['3,000 duplicated fields', `{ viewer { ${times(3000, () => 'uuid')} } }`],
  ['1,001 tokens', `{ viewer { ${times(996, () => 'uuid')} } }`],
  ['4,000 ids in the document', `{ nodes(ids: [${times(4000, () => '"a"')}]) { id } }`],
])('%s are refused before parsing while other queries are served', async (_name, source) => {
  const errors = await refused(app, ada, source)
  expect(errors).toMatchObject([{ message: expect.stringMatching(/1000 tokens/), extensions: { code: 'BAD_REQUEST' } }])
})

test('a document has at most 16,384 characters', async () => {
  const comment = (length: number) => '{ viewer { uuid } } #'.padEnd(length, 'x')
  expect((await app.graphql(ada.token, comment(16_384))).errors).toEqual([])
  const errors = await refused(app, ada, comment(16_385))
  expect(errors).toMatchObject([
    { message: 'A document has at most 16384 characters.', extensions: { code: 'BAD_REQUEST' } },
  ])
})

test('at most 20 validation errors are listed, with a note that there are more', async () => {
  const errors = await refused(app, ada, `{ viewer { ${times(40, (index) => `unknown${index}`)} } }`)
  expect(errors).toHaveLength(21)
  expect(errors.every(({ extensions }) => extensions.code === 'VALIDATION_FAILED')).toBe(true)
  expect(errors[20]?.message).toMatch(/^Too many validation errors/)
})

test.each([
  ['20 levels', deep(20), { viewer: { following: { nodes: [] } } }],
  [
    '50 aliases',
    `{ ${times(50, (index) => `a${index}: viewer { username }`)} }`,
    Object.fromEntries(Array.from({ length: 50 }, (_, index) => [`a${index}`, { username: 'ada' }])),
  ],
  ['an alias of 63 characters', `{ viewer { ${'a'.repeat(63)}: username } }`, { viewer: { ['a'.repeat(63)]: 'ada' } }],
  [
    'posts and replies that are asked for different things at each level',
    `${reply} { ` +
      `${'parent { likeCount ... on Post { a: uuid } ... on Reply { b: uuid } replies(first: 1) { nodes { '.repeat(5)} uuid ${'} } }'.repeat(5)} ` +
      '} }',
    { reply: null },
  ],
  [
    '50 directives',
    `{ viewer { ${times(50, () => 'username @include(if: true)')} } }`,
    { viewer: { username: 'ada' } },
  ],
  ['some hundred fields that merge', `{ viewer { ${times(400, () => 'username')} } }`, { viewer: { username: 'ada' } }],
])('%s are permitted', async (_name, source, data) => {
  expect(await app.graphql(ada.token, source)).toMatchObject({ status: 200, errors: [], data })
})

test.each([
  ['as tools send it', getIntrospectionQuery()],
  [
    'with all that it can ask',
    getIntrospectionQuery({
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      oneOf: true,
    }),
  ],
])('the standard introspection query needs no token, %s', async (_name, source) => {
  const { errors, data } = await app.graphql(undefined, source)
  expect(errors).toEqual([])
  expect(data).toMatchObject({ __schema: { queryType: { name: 'Query' }, mutationType: { name: 'Mutation' } } })
})

test.each([
  'user(by: { username: $u }) { uuid }',
  'users(by: [{ username: $u }]) { uuid }',
  'searchPublications(text: "x", author: { username: $u }) { nodes { uuid } }',
])('a variable that may be null is no way to name a user, in %s', async (field) => {
  for (const type of ['String', 'String = "ada"']) {
    const errors = await refused(app, ada, `query ($u: ${type}) { ${field} }`, { u: 'ada' })
    expect(errors).toMatchObject([{ message: expect.stringMatching(/^Variable "\$u" .*must be non-nullable/) }])
  }
  expect((await app.graphql(ada.token, `query ($u: String!) { ${field} }`, { u: 'ada' })).errors).toEqual([])
})
