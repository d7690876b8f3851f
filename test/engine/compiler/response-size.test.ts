import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

/** Written before control characters were refused: each takes six bytes of JSON, more than the cost assumes. */
const content = '\u0001'.repeat(500)
const size = 8
const source = `{ publicTimeline(first: 100) { nodes { author { posts(first: ${size}) { nodes { content } } } } } }`

test('a response that exceeds 1 MiB is an error', async () => {
  const ada = await app.person('ada')
  const data = Array.from({ length: 100 }, () => ({ id: newId(), authorId: ada.id, content }))
  await app.database.write.prisma.publication.createMany({ data })
  const whole = await app.graphql(ada.token, source)
  expect(whole.data).toBeNull()
  const parts = await app.graphql(ada.token, `query { nodes(ids: []) { id } ${source.slice(1)}`)
  for (const { errors } of [whole, parts]) {
    expect(errors).toMatchObject([
      {
        message: expect.stringMatching(/^A response has at most 1048576 bytes; this one has \d+/),
        path: ['publicTimeline'],
        extensions: { code: 'VALIDATION_FAILED' },
      },
    ])
  }
  const smaller = await app.graphql(ada.token, source.replace(`${size}`, '3'))
  expect(smaller.errors).toEqual([])
  const posts = { nodes: Array(3).fill({ content }) }
  expect(smaller.data).toEqual({ publicTimeline: { nodes: Array(100).fill({ author: { posts } }) } })
})

test('so is one whose statement and resolvers together exceed it', async () => {
  const ada = await app.person()
  const data = Array.from({ length: 100 }, () => ({ id: newId(), authorId: ada.id, content: '\u{1f600}'.repeat(500) }))
  await app.database.write.prisma.publication.createMany({ data })
  const ids = JSON.stringify(data.slice(0, 80).map(({ id }) => globalIdOf('Post', id)))
  const posts = (times: number) =>
    Array.from(
      { length: times },
      (_, nth) => `p${nth}: user(by: { uuid: "${ada.id}" }) { posts(first: 100) { nodes { content } } }`,
    )
  const found = `nodes(ids: ${ids}) { ... on Post { content } }`
  expect((await app.graphql(ada.token, `{ ${posts(5).join(' ')} }`)).errors).toEqual([])
  expect((await app.graphql(ada.token, `{ ${found} }`)).errors).toEqual([])
  const { errors } = await app.graphql(ada.token, `{ ${posts(5).join(' ')} ${found} }`)
  expect(errors).toMatchObject([{ extensions: { code: 'VALIDATION_FAILED' } }])
})
