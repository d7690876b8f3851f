import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { publish } from '../../support/graphql/publish.ts'
import { refused } from '../../support/graphql/refused.ts'
import { globalIdOf } from '../../support/reference/schema.ts'
import { times } from '../../support/times.ts'

let app: TestApp
let ada: Person
let post: string
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  post = await publish(app, ada)
})
afterAll(() => app.close())

/** Forty pages, compiled for posts and for replies, and nested once more. */
const pages = times(40, (index) => `p${index}: replies(first: 1, offset: ${index}) { nodes { uuid } }`)
const parents = (below: string) => `replies(first: 1) { nodes { parent { ... on Post { locked } ${below} } } }`
const long = parents(parents(pages))

const tooLong: Record<string, () => string> = {
  'a query': () => `{ post(uuid: "${post}") { ${long} } }`,
  'a query that needs resolvers': () => `{ nodes(ids: []) { id } post(uuid: "${post}") { ${long} } }`,
  'many lookups': () => {
    const id = globalIdOf('Post', post)
    const page = (index: number) => `... on Publication { replies(offset: ${index}) { nodes { uuid } } }`
    return `{ ${times(36, (index) => `n${index}: node(id: "${id}") { ${page(index)} }`)} }`
  },
}

describe.each(Object.entries(tooLong))('%s whose SQL is too long', (_name, source) => {
  test('is refused before it runs while other queries are served', async () => {
    const statements = await app.statementsOf(async () => {
      const errors = await refused(app, ada, source())
      expect(errors).toMatchObject([
        {
          message: 'This operation is too large. Select fewer fields.',
          extensions: { code: 'VALIDATION_FAILED' },
        },
      ])
    })
    // The statement of the other query, and at first the token lookup.
    expect(statements.filter((statement) => !statement.includes('access_tokens')).length).toBe(1)
  })
})

test('a mutation whose payload needs too much SQL is refused before it writes', async () => {
  const errors = await refused(
    app,
    ada,
    `mutation { sendPost(input: { content: "Never", parent: "${post}" }) { publication { ${long} } } }`,
  )
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }])
  expect(errors[0]?.message).toMatch(/^This operation is too large/)
  expect(await app.database.write.prisma.publication.count({ where: { content: 'Never' } })).toBe(0)
})
