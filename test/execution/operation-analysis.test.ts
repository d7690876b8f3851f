import { afterAll, afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { Executor } from '../../src/execution/executor.ts'
import { argumentErrors } from '../../src/execution/refusals.ts'
import { encodeCursor } from '../../src/reads/cursor.ts'
import { schema } from '../../src/schema/schema.ts'
import type { Person, TestApp } from '../support/app.ts'
import { startApp } from '../support/app.ts'
import { publish } from '../support/publish.ts'
import { globalIdOf } from '../support/reference.ts'
import { times } from '../support/times.ts'

let app: TestApp
let ada: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  post = await publish(app, ada)
})
afterAll(() => app.close())
afterEach(() => void vi.restoreAllMocks())

const cursors = ['01900000-0000-7000-8000-000000000000', '01900000-0000-7000-8000-000000000001'].map(encodeCursor)

describe('an operation', () => {
  const prepared = (source: string) => new Executor(schema, app.log).prepare(source)

  test.each([
    ['alone', 'query ($after: String) { publicTimeline(after: $after) { nodes { uuid } } }', {}],
    [
      'beside variables with defaults',
      'query ($after: String, $first: Int = 5) { publicTimeline(first: $first, after: $after) { nodes { uuid } } }',
      { first: 5 },
    ],
  ])('is analyzed once for all values of a cursor %s', (_, source, more) => {
    const operation = prepared(source)
    const analyses = [...cursors, 'nonsense', null].map((after) => operation.analyze({ ...more, after }))
    expect(new Set(analyses).size).toBe(1)
  })

  test('is analyzed again for another page size', () => {
    const operation = prepared('query ($first: Int!) { publicTimeline(first: $first) { nodes { uuid } } }')
    expect(operation.analyze({ first: 1 }).cost).toBeLessThan(operation.analyze({ first: 100 }).cost)
  })
})

describe('no more errors of arguments are made than are listed', () => {
  const analyzed = (source: string, variables = {}) => {
    const analysis = new Executor(schema, app.log).prepare(source).analyze(variables)
    return { analysis, errors: argumentErrors(analysis, variables) }
  }

  test('for pages that are too large', () => {
    const { analysis, errors } = analyzed(`{ viewer { ${times(100, () => 'posts(first: 101) { totalCount }')} } }`)
    expect(analysis.argumentChecks).toHaveLength(20)
    expect(errors).toHaveLength(20)
  })

  test('for invalid cursors', () => {
    const { errors } = analyzed(
      `query ($after: String) { viewer { ${times(80, () => 'posts(after: $after) { totalCount }')} } }`,
      { after: 'x' },
    )
    expect(errors).toHaveLength(20)
  })
})

describe('a cursor is decoded once', () => {
  const operations: Record<string, () => string> = {
    'in a query of one statement': () => '{ publicTimeline(before: $at, first: 1) { nodes { uuid } } }',
    'in a page of access tokens': () => '{ accessTokens(before: $at) { nodes { name } pageInfo { hasNextPage } } }',
    'below a lookup by id': () =>
      `{ node(id: "${globalIdOf('User', ada.id)}") { ... on User { posts(before: $at) { nodes { uuid } } } } }`,
    'below a mutation': () =>
      `{ setLike(input: { uuid: "${post}", liked: true }) { publication { author { posts(before: $at) { totalCount nodes { uuid } } } } } }`,
  }

  test.each(Object.entries(operations))('%s', async (name, selection) => {
    const kind = name.includes('mutation') ? 'mutation' : 'query'
    const source = `${kind} ($at: String) ${selection()}`
    for (const at of cursors) {
      const decode = vi.spyOn(Buffer, 'from')
      expect(await app.graphql(ada.token, source, { at })).toMatchObject({ status: 200, errors: [] })
      expect(decode.mock.calls.filter(([text]) => String(text) === at)).toHaveLength(1)
      decode.mockRestore()
    }
  })
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
