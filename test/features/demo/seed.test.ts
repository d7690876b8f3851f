import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { hasNoAccounts } from '../../../src/features/accounts/accounts.ts'
import { entitiesIn } from '../../../src/features/base/entities.ts'
import { textError, textOf } from '../../../src/features/base/input-rules.ts'
import { networkRows } from '../../../src/features/demo/rows.ts'
import { seed } from '../../../src/features/demo/seed.ts'
import { demoNetwork } from '../../../src/features/demo/seed-options.ts'
import { wrongCounters } from '../../support/database/counters.ts'
import { onPostgres, openTestDatabase } from '../../support/database.ts'

type TestDatabase = Awaited<ReturnType<typeof openTestDatabase>>

const now = new Date('2026-03-01T12:00:00.000Z')
const demo = { ...demoNetwork, now }
const published = z.object({
  id: z.string(),
  parent_id: z.string().nullable(),
  author_id: z.string(),
  content: z.string(),
  created_at: z.date(),
})

function publicationsOf(options: typeof demo) {
  return [...networkRows(options).publications].map((row) => published.parse(row))
}

/** The time in a UUID of version 7, in milliseconds. */
function momentOf(id: string): number {
  return Number.parseInt(id.replaceAll('-', '').slice(0, 12), 16)
}

describe('a seeded database', () => {
  let database: TestDatabase
  const progress: [number, number, string][] = []
  beforeAll(async () => {
    database = await openTestDatabase()
    expect(await hasNoAccounts(database.write.prisma)).toBe(true)
    await seed(database, { ...demo, onProgress: (...step) => progress.push(step) })
  })
  afterAll(() => database.close())

  test('has the requested number of rows, and reported its progress to the end', async () => {
    const { prisma } = database.write
    expect(await hasNoAccounts(database.write.prisma)).toBe(false)
    const { user, publication, like, follow, badge, application } = prisma
    const counts = [user.count(), publication.count(), like.count(), follow.count(), badge.count(), application.count()]
    expect(await Promise.all(counts)).toEqual([50, 1_000, 3_000, 600, 3, 3])
    expect(await prisma.userBadge.count()).toBeGreaterThan(4)
    expect(await prisma.change.count()).toBe(1)
    expect(await prisma.publication.count({ where: { applicationId: { not: null } } })).toBeGreaterThan(100)
    expect(await prisma.publication.count({ where: { locked: true } })).toBeGreaterThan(2)
    expect(await prisma.user.count({ where: { passwordHash: { not: null } } })).toBe(0)
    const replies = await prisma.publication.count({ where: { parentId: { not: null } } })
    expect(replies).toBeGreaterThan(350)
    expect(replies).toBeLessThan(450)
    expect(progress.at(-1)).toEqual([4_650, 4_650, 'follows'])
    expect(new Set(progress.map(([, , what]) => what))).toEqual(new Set(['users', 'publications', 'likes', 'follows']))
  })

  test('has the hashtags of its texts', async () => {
    const { hashtag, publication } = database.write.prisma
    const having = await publication.findMany({ where: { content: { contains: '#' } }, include: { hashtags: true } })
    expect(having.length).toBeGreaterThan(30)
    for (const { content, hashtags } of having) {
      const found = entitiesIn(content)?.hashtags ?? []
      expect(hashtags.map(({ hashtagId, rangeStart }) => [hashtagId, rangeStart])).toEqual(
        found.map(({ id, start }) => [id, start]),
      )
    }
    expect(await hashtag.aggregate({ _sum: { publicationCount: true } })).toEqual({
      _sum: { publicationCount: having.length },
    })
  })

  test('has right counters, no like of an own post, and nothing before what it refers to', async () => {
    expect(await wrongCounters(database)).toEqual([])
    for (const faults of [
      `publications r join publications p on p.id = r.parent_id
        where r.created_at <= p.created_at or r.id <= p.id or p.locked`,
      'publications p join users u on u.id = p.author_id where p.created_at <= u.joined_at',
      // Ids of the same millisecond are in any order.
      'likes l where left(l.id::text, 13) < left(l.publication_id::text, 13)',
      'likes l join publications p on p.id = l.publication_id where p.author_id = l.user_id',
    ])
      expect(await database.write.prisma.$queryRawUnsafe(`select 1 from ${faults} limit 1`)).toEqual([])
  })

  test('has ada, whose timeline has posts with replies', async () => {
    const ada = await database.write.prisma.user.findFirstOrThrow({
      orderBy: { id: 'asc' },
      include: { following: true, publications: { where: { parentId: null } } },
    })
    expect(ada).toMatchObject({ username: 'ada', emailVerified: true, followingCount: 18 })
    expect(ada.publications.length).toBeGreaterThanOrEqual(5)
    const timeline = await database.write.prisma.publication.findMany({
      where: { parentId: null, authorId: { in: ada.following.map(({ followeeId }) => followeeId) } },
      orderBy: { id: 'desc' },
      take: 20,
    })
    expect(timeline.slice(0, 5).filter(({ replyCount }) => replyCount > 0).length).toBeGreaterThanOrEqual(3)
  })
})

test('a failed seeding changes nothing and can be repeated', async () => {
  const database = await openTestDatabase()
  const onProgress = (done: number) => {
    if (done > 1_000) throw new Error('stopped')
  }
  await expect(seed(database, { ...demo, onProgress })).rejects.toThrow('stopped')
  expect(await hasNoAccounts(database.write.prisma)).toBe(true)
  expect(await database.write.prisma.badge.count()).toBe(0)
  await seed(database, { users: 3, posts: 12, likes: 6, follows: 2, seed: 1, now })
  expect(await database.write.prisma.publication.count()).toBe(12)
  await database.close()
})

test.skipIf(onPostgres)('only the right to write rows is needed', async () => {
  const database = await openTestDatabase()
  const { prisma } = database.write
  await prisma.$executeRaw`create role writer`
  await prisma.$executeRaw`grant select, insert, update, delete on all tables in schema public to writer`
  // All connections to PGlite share a session.
  await prisma.$executeRaw`set role writer`
  await seed(database, { users: 3, posts: 12, likes: 6, follows: 2, seed: 1, now })
  expect(await prisma.change.count()).toBe(1)
  await prisma.$queryRaw`select set_like(new_id => null, viewer => user_id, object => publication_id, wanted => false, posts => true,
    replies => true) from likes`
  await prisma.$executeRaw`reset role`
  expect(await prisma.change.count()).toBe(7)
  await database.close()
})

describe('a generated network', () => {
  test('is the same for the same options, and has the same texts and relative times at any time', () => {
    const all = () => Object.values(networkRows(demo)).map((rows) => [...rows])
    expect(all()).toEqual(all())
    const later = 86_400_000
    const told = (time: number) =>
      publicationsOf({ ...demo, now: new Date(time) }).map(({ content, created_at }) => [content, +created_at - time])
    expect(told(now.getTime() + later)).toEqual(told(now.getTime()))
  })

  test('can be tiny', () => {
    for (const posts of [0, 1, 5]) {
      const rows = networkRows({ users: 1, posts, likes: 0, follows: 0, seed: 1, now })
      expect([...rows.publications].length).toBe(posts)
      expect([...rows.likes, ...rows.follows]).toEqual([])
    }
  })

  test('has ids in the order of their times, and valid, varied texts with Unicode and line breaks', () => {
    const publications = publicationsOf(demo)
    const ids = publications.map(({ id }) => id)
    expect(ids).toEqual(ids.toSorted())
    for (const { id, created_at } of publications) expect(momentOf(id)).toBe(created_at.getTime())
    const contents = publications.map(({ content }) => content)
    for (const content of contents) {
      expect(textError('content', content, textOf(1, 500))).toBeUndefined()
      expect(content).not.toMatch(/[{}~^]|undefined| {2}/)
    }
    expect(new Set(contents).size).toBeGreaterThan(940)
    expect(contents.some((content) => /\p{Extended_Pictographic}/u.test(content))).toBe(true)
    expect(contents.some((content) => /[äöü]/.test(content))).toBe(true)
    expect(contents.some((content) => content.includes('\n'))).toBe(true)
  })
})
