import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { scopes } from '../../../src/features/base/scopes.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { idsOf, readPage, walk } from '../../support/graphql/pages.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { createTimeline } from '../../support/networks/timeline-rows.ts'
import { globalIdOf } from '../../support/reference/schema.ts'

const connection = { field: 'homeTimeline' }

let app: TestApp
let ada: Person
let strange: Person
/** All of ada's home timeline, newest first. */
let all: string[]
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  await createTimeline(app.database, ada.id, { authors: 12, posts: 9, replies: 1 })
  const [busy, quiet, stranger] = await people(app, 3)
  if (!busy || !quiet || !stranger) throw new Error('There are too few people')
  strange = stranger
  await app.database.write.prisma.follow.createMany({
    data: [busy, quiet].map(({ id }) => ({ id: newId(), followerId: ada.id, followeeId: id })),
  })
  // One followee fills whole pages, one has never posted, and one of the posts in between is deleted.
  for (let count = 0; count < 15; count++) await publish(app, busy)
  for (const author of [ada, stranger, busy, ada, stranger]) await publish(app, author)
  const gone = await publish(app, ada)
  await app.graphql(ada.token, `mutation { deletePost(input: { uuid: "${gone}" }) { publication { uuid } } }`)
})
afterAll(() => app.close())

/** The ids of ada's home timeline by a naive query. */
async function naive(): Promise<string[]> {
  const rows = await app.database.write.prisma.$queryRaw<{ id: string }[]>`
    select p.id from publications p
    where p.parent_id is null and p.deleted_at is null and (p.author_id = ${ada.id}::uuid
      or p.author_id in (select f.followee_id from follows f where f.follower_id = ${ada.id}::uuid))
    order by p.id desc`
  return rows.map(({ id }) => globalIdOf('Post', id))
}

/** Sets ada's counter as if she followed many. */
const followMany = () =>
  app.database.write.prisma.user.update({ where: { id: ada.id }, data: { followingCount: 1_000 } })

/** Publishes posts that are not in ada's home timeline. */
const publishElsewhere = (count: number) =>
  app.database.write.prisma.publication.createMany({
    data: Array.from({ length: count }, () => ({ id: newId(), authorId: strange.id, content: 'Elsewhere' })),
  })

/** The ways in which pages are found. Each builds on the rows of the one before. */
const networks: readonly (readonly [name: string, arrange: () => Promise<unknown>])[] = [
  ['for who follows few', async () => undefined],
  ['for who follows many, in an active network', followMany],
  ['for who follows many, where a sample is full of hits and the rest is not', () => publishElsewhere(60)],
  ['for who follows many, in a network where others post', () => publishElsewhere(1_100)],
]

const read = (args: string) => readPage(app, ada.token, connection, args)

describe.each(networks)('the home timeline equals a naive query %s', (_name, arrange) => {
  beforeAll(async () => {
    await arrange()
    // Viewers are cached, with whether their account follows many.
    ada = { ...ada, token: await app.token(ada, scopes) }
    all = await naive()
  })

  test('it has exactly the posts of the viewer and of followed users', () => {
    expect(all).toHaveLength(12 * 9 + 15 + 3)
  })

  test.each([7, 100])('paginating in either direction by %i', async (size) => {
    for (const isForwards of [true, false]) {
      const pages = await walk(app, ada.token, connection, size, isForwards)
      expect(pages.flat()).toEqual(all)
      expect(pages).toHaveLength(Math.ceil(all.length / size))
    }
  })

  test('from a deep cursor in either direction', async () => {
    const { edges } = await read('first: 100')
    for (const at of [5, 20, 98]) {
      const cursor = edges[at]?.cursor
      expect(idsOf(await read(`first: 4, after: "${cursor}"`))).toEqual(all.slice(at + 1, at + 5))
      expect(idsOf(await read(`last: 4, before: "${cursor}"`))).toEqual(all.slice(at - 4, at))
      expect(idsOf(await read(`first: 4, before: "${cursor}"`))).toEqual(all.slice(0, 4))
      expect(idsOf(await read(`last: 4, after: "${cursor}"`))).toEqual(all.slice(-4))
    }
  })
})
