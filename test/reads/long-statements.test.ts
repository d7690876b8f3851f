import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../support/app.ts'
import { startApp } from '../support/app.ts'
import { publish } from '../support/publish.ts'
import { globalIdOf } from '../support/reference.ts'
import { refused } from '../support/refused.ts'

let app: TestApp
let ada: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  post = await publish(app, ada)
})
afterAll(() => app.close())

const times = (count: number, part: (index: number) => string) =>
  Array.from({ length: count }, (_, index) => part(index)).join(' ')

/** Forty pages, which are composed for posts and for replies, and that once more on the way to them. */
const pages = times(40, (index) => `p${index}: replies(first: 1, offset: ${index}) { nodes { uuid } }`)
const parents = (below: string) => `replies(first: 1) { nodes { parent { ... on Post { locked } ${below} } } }`
const long = parents(parents(pages))

const tooLong: Record<string, () => string> = {
  'a query': () => `{ post(uuid: "${post}") { ${long} } }`,
  'a query that needs resolvers': () => `{ accessTokens { nodes { id } } post(uuid: "${post}") { ${long} } }`,
  'many look-ups': () => {
    const id = globalIdOf('Post', post)
    const page = (index: number) => `... on Publication { replies(offset: ${index}) { nodes { uuid } } }`
    return `{ ${times(40, (index) => `n${index}: node(id: "${id}") { ${page(index)} }`)} }`
  },
}

describe.each(Object.entries(tooLong))('%s whose SQL is too long', (_name, source) => {
  test('is refused before anything runs, while another query is answered', async () => {
    const statements = await app.statementsOf(async () => {
      const errors = await refused(app, ada, source())
      expect(errors).toMatchObject([
        {
          message: expect.stringMatching(/^The SQL of an operation has at most 65536 characters/),
          extensions: { code: 'VALIDATION_FAILED' },
        },
      ])
    })
    // Of the other query, and at first of the token.
    expect(statements.filter((statement) => !statement.includes('access_tokens')).length).toBe(1)
  })
})

test('a mutation whose answer would take too much SQL is refused before it writes', async () => {
  const errors = await refused(
    app,
    ada,
    `mutation { sendPost(input: { content: "Never", parent: "${post}" }) { publication { ${long} } } }`,
  )
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }])
  expect(errors[0]?.message).toMatch(/65536 characters/)
  expect(await app.database.read.publication.count({ where: { content: 'Never' } })).toBe(0)
})
