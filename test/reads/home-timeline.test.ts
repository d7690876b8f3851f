import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../support/app.ts'
import { startApp } from '../support/app.ts'
import { idsOf, type Page, readPage } from '../support/pages.ts'
import { people, publish } from '../support/publish.ts'
import { globalIdOf } from '../support/reference.ts'
import { createTimeline } from '../support/timeline-rows.ts'

const connection = { field: 'homeTimeline' }

let app: TestApp
let ada: Person
/** All of ada's home timeline, newest first. */
let all: string[]
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  await createTimeline(app.database, ada.id, { authors: 12, posts: 9, replies: 1 })
  const [busy, quiet, stranger] = await people(app, 3)
  if (!busy || !quiet || !stranger) throw new Error('There are too few people')
  await app.database.write.follow.createMany({
    data: [busy, quiet].map(({ id }) => ({ id: newId(), followerId: ada.id, followeeId: id })),
  })
  // One followee fills whole pages, one never posted, and one of the posts in between is deleted.
  for (let count = 0; count < 15; count++) await publish(app, busy)
  for (const author of [ada, stranger, busy, ada, stranger]) await publish(app, author)
  const gone = await publish(app, ada)
  await app.graphql(ada.token, `mutation { deletePost(input: { uuid: "${gone}" }) { publication { uuid } } }`)
  const rows = await app.database.read.$queryRaw<{ id: string }[]>`
    select p.id from publications p
    where p.parent_id is null and p.deleted_at is null and (p.author_id = ${ada.id}::uuid
      or p.author_id in (select f.followee_id from follows f where f.follower_id = ${ada.id}::uuid))
    order by p.id desc`
  all = rows.map(({ id }) => globalIdOf('Post', id))
})
afterAll(() => app.close())

const read = (args: string) => readPage(app, ada.token, connection, args)

describe('the home timeline equals a naive query', () => {
  test('it has the own posts and those of whom the viewer follows, and nothing else', () => {
    expect(all).toHaveLength(12 * 9 + 15 + 3)
  })

  test.each([1, 2, 7, 20, 50, 100])('walked forward by %i', async (size) => {
    const pages: Page[] = []
    for (let after = ''; pages.at(-1)?.pageInfo.hasNextPage !== false; ) {
      const page = await read(`first: ${size}${after}`)
      pages.push(page)
      after = `, after: "${page.pageInfo.endCursor}"`
    }
    expect(pages.flatMap(idsOf)).toEqual(all)
    expect(pages).toHaveLength(Math.ceil(all.length / size))
  })

  test.each([1, 7, 20, 100])('walked backward by %i', async (size) => {
    const pages: Page[] = []
    for (let before = ''; pages[0]?.pageInfo.hasPreviousPage !== false; ) {
      const page = await read(`last: ${size}${before}`)
      pages.unshift(page)
      before = `, before: "${page.pageInfo.startCursor}"`
    }
    expect(pages.flatMap(idsOf)).toEqual(all)
  })

  test('from a deep cursor in either direction', async () => {
    const { edges } = await read('first: 100')
    for (const at of [5, 19, 20, 21, 60, 98]) {
      const cursor = edges[at]?.cursor
      expect(idsOf(await read(`first: 4, after: "${cursor}"`))).toEqual(all.slice(at + 1, at + 5))
      expect(idsOf(await read(`last: 4, before: "${cursor}"`))).toEqual(all.slice(at - 4, at))
      expect(idsOf(await read(`first: 4, before: "${cursor}"`))).toEqual(all.slice(0, 4))
      expect(idsOf(await read(`last: 4, after: "${cursor}"`))).toEqual(all.slice(-4))
    }
  })

  test('without asking for more than the nodes', async () => {
    for (const size of [0, 1, 20]) {
      const { data } = await app.graphql(ada.token, `{ homeTimeline(first: ${size}) { nodes { id } } }`)
      expect(data).toEqual({ homeTimeline: { nodes: all.slice(0, size).map((id) => ({ id })) } })
    }
  })
})

test('somebody who follows nobody sees the own posts', async () => {
  const loner = await app.person()
  expect(await readPage(app, loner.token, connection)).toMatchObject({ nodes: [], pageInfo: { hasNextPage: false } })
  const own = await publish(app, loner)
  expect(idsOf(await readPage(app, loner.token, connection))).toEqual([globalIdOf('Post', own)])
})
