import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { authorization } from '../support/rest-call.ts'

let app: TestApp
let author: Person
beforeAll(async () => {
  app = await startApp()
  author = await app.person()
  const posts = Array.from({ length: 100 }, () => ({ id: newId(), authorId: author.id, content: '😀'.repeat(500) }))
  await app.database.write.prisma.publication.createMany({ data: posts })
})
afterAll(() => app.close())

/** 200 KB for each alias. */
const posts = (aliases: number) =>
  `{ ${Array.from({ length: aliases }, (_, index) => `a${index}: user(by: { uuid: "${author.id}" }) { posts(first: 100) { nodes { content } } }`).join(' ')} }`

const people = (count: number) => Promise.all(Array.from({ length: count }, () => app.person()))

test('accounts that request large responses at once all receive them', async () => {
  const answers = await Promise.all((await people(6)).map(({ token }) => app.graphql(token, posts(10))))
  for (const { data, errors } of answers) {
    expect(errors).toEqual([])
    const nodes = Array(100).fill({ content: '😀'.repeat(500) })
    expect(data).toMatchObject({ a0: { posts: { nodes } }, a9: { posts: { nodes } } })
  }
})

test('others receive their responses after clients that waited for large ones have left', async () => {
  const leaving = (await people(12)).map(async ({ token }) => {
    const response = await fetch(`${app.origin}/graphql`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...authorization(token) },
      body: JSON.stringify({ query: posts(40) }),
      signal: AbortSignal.timeout(150),
    })
    return response.text()
  })
  await Promise.allSettled(leaving)
  const answers = await Promise.all((await people(4)).map(({ token }) => app.graphql(token, posts(4))))
  for (const { status, errors } of answers) expect({ status, errors }).toEqual({ status: 200, errors: [] })
})
