import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { z } from 'zod'
import { maxScan } from '../../../src/engine/compiler/limits.ts'
import { removeOldChanges } from '../../../src/features/changes/stored-changes.ts'
import { deleteAccount } from '../../../src/features/deletion/deletion.ts'
import { removePublications } from '../../../src/features/moderation/moderation.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { onPostgres } from '../../support/database.ts'
import {
  askForChanges,
  changeCursor,
  changesAfter,
  pageOfChanges,
  settledCursor,
  untilSettled,
} from '../../support/graphql/changes.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { textOf } from '../../support/project/source-files.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const everything = { public: true }
const contentsAfter = async (cursor: string) =>
  (await changesAfter(app, ada, everything, cursor)).map(({ publication }) => publication?.content)

/** Inserts posts of Ada in one statement. */
const insertPosts = (
  count: number,
  client: Pick<TestApp['database']['write']['prisma'], '$executeRaw'> = app.database.write.prisma,
) => {
  const ids = Array.from({ length: count }, () => newId())
  return client.$executeRaw`
    select send_publication(publication => id, parent => null, author => ${ada.id}::uuid, application => null,
      new_content => 'Post ' || number, new_locked => false, new_audience => null, new_warning => null, new_language => null, quoted => null, new_quotable => true, words => '', entities => null) from unnest(${ids}::uuid[]) with ordinality posts (id, number)`
}

// The embedded database has one connection.
test.runIf(onPostgres)(
  'a change waits for transactions that began to write before it, and comes after theirs',
  async () => {
    const start = await settledCursor(app, ada)
    await app.database.write.prisma.$transaction(async (transaction) => {
      await insertPosts(2, transaction)
      await publish(app, ada, { content: 'Later' })
      const { nodes, pageInfo } = await pageOfChanges(app, ada, { of: everything, after: start })
      expect(nodes).toEqual([])
      expect(pageInfo).toEqual({ endCursor: start, hasNextPage: false })
      expect(await changeCursor(app, ada)).toBe(start)
    })
    expect(await contentsAfter(start)).toEqual(['Post 1', 'Post 2', 'Later'])
  },
)

test.runIf(onPostgres)(
  'simultaneous changes can come in either order, and their object has its last state',
  async () => {
    const uuid = await publish(app, ada)
    await mutate(app, ada, 'setLike', { uuid, liked: true }, 'action')
    const after = await settledCursor(app, ada)
    await app.database.write.prisma.$transaction(async (transaction) => {
      await transaction.$executeRaw`select pg_current_xact_id()`
      await mutate(app, ada, 'setLike', { uuid, liked: false }, 'action')
      await transaction.$queryRaw`select set_like(new_id => ${newId()}::uuid, viewer => ${ada.id}::uuid, object => ${uuid}::uuid, wanted => true,
        posts => true, replies => true)`
    })
    await untilSettled(app)
    const { data } = await app.graphql(
      ada.token,
      `{ changes(of: { publications: ["${uuid}"] }, after: "${after}") { nodes { kind publication { likeCount viewerHasLiked } } } }`,
    )
    const publication = { likeCount: 1, viewerHasLiked: true }
    expect(data).toEqual({ changes: { nodes: ['LIKED', 'UNLIKED'].map((kind) => ({ kind, publication })) } })
  },
)

const handOver = z.object({
  changeCursor: z.string(),
  homeTimeline: z.object({ nodes: z.array(z.object({ content: z.string() })) }),
})

test('a timeline and the changes after the cursor that was read with it miss nothing', async () => {
  const writer = await app.person()
  await mutate(app, ada, 'setFollow', { uuid: writer.id, followed: true }, 'action')
  const write = async (from: number) => {
    for (let nth = from; nth < 40; nth += 4) await publish(app, writer, { content: `${nth}` })
  }
  let isWriting = true
  const writing = Promise.all([0, 1, 2, 3].map(write)).finally(() => {
    isWriting = false
  })
  const readings: z.infer<typeof handOver>[] = []
  while (isWriting) {
    const { data } = await app.graphql(ada.token, '{ changeCursor homeTimeline(first: 100) { nodes { content } } }')
    readings.push(handOver.parse(data))
  }
  await writing
  const numbers = /^\d+$/
  for (const { changeCursor: cursor, homeTimeline } of readings) {
    const then = homeTimeline.nodes.map(({ content }) => content)
    const afterwards = await contentsAfter(cursor)
    expect(new Set([...then, ...afterwards].filter((content) => numbers.test(content ?? ''))).size).toBe(40)
  }
})

test('clients that resume after any number of changes see each once and in order', async () => {
  const start = await settledCursor(app, ada)
  const writers = await people(app, 8)
  await Promise.all(writers.map((writer) => publish(app, writer, { content: writer.username })))
  const all = await contentsAfter(start)
  expect(all.toSorted()).toEqual(writers.map(({ username }) => username).toSorted())
  const { nodes } = await pageOfChanges(app, ada, { of: everything, after: start, first: 8 })
  for (const [index, { cursor }] of nodes.entries()) expect(await contentsAfter(cursor)).toEqual(all.slice(index + 1))
})

test('a page ends after a limited number of changes, and the next one continues from there', async () => {
  const stranger = await app.person()
  const start = await settledCursor(app, ada)
  await insertPosts(maxScan)
  await publish(app, stranger, { content: 'Found' })
  await untilSettled(app)
  const of = { users: [stranger.id] }
  const empty = await pageOfChanges(app, ada, { of, after: start })
  expect(empty).toMatchObject({ nodes: [], pageInfo: { hasNextPage: true } })
  const next = await pageOfChanges(app, ada, { of, after: empty.pageInfo.endCursor })
  expect(next).toMatchObject({ nodes: [{ publication: { content: 'Found' } }], pageInfo: { hasNextPage: false } })
  expect(next.pageInfo.endCursor).toBe(next.nodes[0]?.cursor)
})

test('an account that is deleted takes back what it liked and followed, and loses its followers, in the feed too', async () => {
  const [gone, other] = [await app.person(), await app.person()]
  const [kept, post] = [await publish(app, other, { content: 'Kept' }), await publish(app, gone)]
  for (const uuid of [kept, post]) await mutate(app, gone, 'setLike', { uuid, liked: true }, 'action')
  await mutate(app, other, 'setLike', { uuid: post, liked: true }, 'action')
  await mutate(app, gone, 'setFollow', { uuid: other.id, followed: true }, 'action')
  await mutate(app, other, 'setFollow', { uuid: gone.id, followed: true }, 'action')
  const start = await settledCursor(app, ada)
  // Otherwise it would wait for other processes to notice.
  await app.database.write.prisma.user.update({ where: { id: gone.id }, data: { suspendedAt: new Date(0) } })
  await deleteAccount(app.database, gone.id)
  const hidden = { kind: 'ACCOUNT_HIDDEN', uuid: gone.id, actorUuid: gone.id, actor: null, user: null }
  const deleted = { kind: 'DELETED', uuid: post, actorUuid: gone.id, actor: null }
  const unliked = { kind: 'UNLIKED', uuid: kept, actorUuid: gone.id, actor: null }
  const ofFollows = [
    { kind: 'UNFOLLOWED', uuid: other.id, actorUuid: gone.id, actor: null },
    { kind: 'UNFOLLOWED', uuid: gone.id, actorUuid: other.id, user: null },
  ]
  const read = async (viewer: Person, of: object) => {
    const found = await changesAfter(app, viewer, of, start)
    return found.toSorted((one, two) => Number(one.uuid === gone.id) - Number(two.uuid === gone.id))
  }
  expect(await read(ada, { publications: [kept, post] })).toMatchObject([deleted, unliked, hidden, hidden])
  // Likes of others are in no other source.
  expect(await read(ada, { users: [gone.id, other.id] })).toMatchObject([
    deleted,
    ...ofFollows.slice(0, 1),
    hidden,
    ...ofFollows.slice(1),
    hidden,
  ])
  expect(await read(other, { home: true })).toMatchObject([
    deleted,
    ...ofFollows.slice(0, 1),
    hidden,
    ...ofFollows.slice(1),
    hidden,
  ])
})

test('the post of a suspended account that an operator deletes is gone for its followers only', async () => {
  const [suspended, follower] = [await app.person(), await app.person()]
  const uuid = await publish(app, suspended)
  await mutate(app, follower, 'setFollow', { uuid: suspended.id, followed: true }, 'action')
  const start = await settledCursor(app, ada)
  await app.database.write.prisma.user.update({ where: { id: suspended.id }, data: { suspendedAt: new Date() } })
  await removePublications(app.database, 'operator', { uuids: [uuid] }, async () => undefined)
  const home = (viewer: Person) => changesAfter(app, viewer, { home: true, kinds: ['DELETED'] }, start)
  expect(await home(follower)).toMatchObject([{ kind: 'DELETED', uuid }])
  expect(await home(ada)).toEqual([])
})

test('a page of size 0 ends where it begins', async () => {
  const after = await settledCursor(app, ada)
  await publish(app, ada)
  await untilSettled(app)
  expect(await pageOfChanges(app, ada, { of: everything, after, first: 0 })).toEqual({
    nodes: [],
    pageInfo: { endCursor: after, hasNextPage: true },
  })
})

test('changes are read with their objects by one statement', async () => {
  const source = `query ($after: String) { changeCursor changes(of: { home: true, public: true }, after: $after, first: 100) {
    nodes { kind at actor { username } publication { content author { username } } user { uuid } } pageInfo { endCursor hasNextPage } } }`
  for (const posts of [1, 50]) {
    const after = await settledCursor(app, ada)
    await insertPosts(posts)
    const statements = await app.statementsOf(async () => {
      const { errors } = await app.graphql(ada.token, source, { after })
      expect(errors).toEqual([])
    })
    expect(statements.filter((statement) => !/access_tokens/.test(statement))).toHaveLength(1)
  }
})

test('old changes are removed except for the newest of them, and their cursors expire', async () => {
  const { prisma } = app.database.write
  const start = await settledCursor(app, ada)
  await insertPosts(3)
  const [{ cursor: first = '' } = {}, , last] = await changesAfter(app, ada, everything, start)
  await prisma.$executeRaw`update changes set at = at - interval '8 days'`
  await publish(app, ada, { content: 'New' })
  await untilSettled(app)
  await removeOldChanges(app.database, 7)
  for (const after of [start, first]) {
    const { errors } = await askForChanges(app, ada, { of: everything, after })
    expect(errors).toMatchObject([{ extensions: { code: 'CURSOR_EXPIRED' } }])
  }
  // Whoever has read everything continues after a silence.
  expect(await contentsAfter(last?.cursor ?? '')).toEqual(['New'])
  expect(await prisma.change.count()).toBe(2)
  await prisma.$executeRaw`update changes set at = at - interval '8 days'`
  const newest = await settledCursor(app, ada)
  await removeOldChanges(app.database, 7)
  expect(await changeCursor(app, ada)).toBe(newest)
})

test('old changes are removed although a clock was ahead once', async () => {
  const { prisma } = app.database.write
  const batch = 1_100
  await insertPosts(batch)
  await prisma.$executeRaw`update changes set at = now() + interval '1 year'`
  const before = await prisma.change.count()
  await removeOldChanges(app.database, 7)
  // No older change follows them, so they may be new.
  expect(await prisma.change.count()).toBe(before)
  await insertPosts(batch)
  const { number } = await prisma.change.findFirstOrThrow({ where: { at: { lt: new Date() } }, orderBy: { id: 'asc' } })
  await prisma.$executeRaw`
    update changes set at = now() + case when (number - ${number}) % 100 = 0 then interval '1 day' else interval '-8 days' end
    where number >= ${number}`
  await publish(app, ada, { content: 'New' })
  await untilSettled(app)
  await removeOldChanges(app.database, 7)
  expect(await prisma.change.count()).toBe(2)
})

// A dump has no generated columns.
test.each([
  [
    'a dump is restored',
    `with dumped as (delete from changes returning number, at, kind, actor_id, publication_id, parent_id, user_id)
    insert into changes (number, at, kind, actor_id, publication_id, parent_id, user_id) select * from dumped`,
  ],
  [
    'the operator runs the statement in operate.md',
    /psql rookery -c '(UPDATE changes .*)'/.exec(textOf('docs/operate.md'))?.[1],
  ],
])('all cursors have expired after %s, and the feed goes on from a new one', async (_what, statement = '') => {
  await insertPosts(3)
  const old = await settledCursor(app, ada)
  await app.database.write.prisma.$executeRawUnsafe(statement)
  const fresh = await settledCursor(app, ada)
  await publish(app, ada, { content: 'Next' })
  const { errors } = await askForChanges(app, ada, { of: everything, after: old })
  expect(errors).toMatchObject([{ extensions: { code: 'CURSOR_EXPIRED' } }])
  expect(await contentsAfter(fresh)).toEqual(['Next'])
})
