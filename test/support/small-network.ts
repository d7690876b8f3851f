import type { Database } from '../../src/data/database.ts'

const id = (ending: string) => `019ab2c4-0000-7000-8000-${ending.padStart(12, '0')}`

/** The ids of a small network whose every value is known; the last of each kind sorts last. */
export const ids = {
  ada: id('a1'),
  bob: id('b1'),
  cyd: id('c1'),
  loom: id('10'),
  early: id('20'),
  founder: id('21'),
  adaPost: id('31'),
  bobPost: id('32'),
  adaReply: id('33'),
  bobReply: id('34'),
  bobNested: id('35'),
  adaGone: id('36'),
  adaOrphan: id('37'),
  /** Of nothing. */
  nothing: id('ff'),
} as const

/** A moment, so many whole seconds and some milliseconds after the epoch. */
const moment = (seconds: number) => new Date(seconds * 1000 + 999)

/** The accounts of the network: Bob and then Cyd follow Ada, and Ada follows Cyd. */
async function insertUsers({ write }: Database): Promise<void> {
  await write.user.createMany({
    data: [
      {
        id: ids.ada,
        username: 'Ada',
        displayName: 'Ada Lovelace',
        email: 'Ada@Example.org',
        emailVerified: true,
        bio: 'Numbers & weaving.',
        followerCount: 2,
        followingCount: 1,
        joinedAt: moment(1767323045),
      },
      { id: ids.bob, username: 'bob', displayName: 'Bob', email: 'bob@example.org', followingCount: 1 },
      { id: ids.cyd, username: 'cyd', displayName: 'Cyd', email: 'cyd@example.org' },
    ].map((user) => ({ joinedAt: moment(1770091506), ...user })),
  })
  await write.user.update({ where: { id: ids.cyd }, data: { followerCount: 1, followingCount: 1 } })
  await write.badge.createMany({
    data: [
      { id: ids.founder, name: 'Founder' },
      { id: ids.early, name: 'Early' },
    ],
  })
  await write.userBadge.createMany({
    data: [ids.founder, ids.early].map((badgeId) => ({ userId: ids.ada, badgeId })),
  })
  await write.follow.createMany({
    data: [
      { id: id('41'), followerId: ids.bob, followeeId: ids.ada },
      { id: id('42'), followerId: ids.cyd, followeeId: ids.ada },
      { id: id('43'), followerId: ids.ada, followeeId: ids.cyd },
    ],
  })
  await write.application.create({
    data: { id: ids.loom, ownerId: ids.ada, name: 'Loom', website: 'https://loom.example/' },
  })
}

/** Its publications: two posts, a reply to each, a reply to a reply, and a reply to what was deleted. */
async function insertPublications({ write }: Database): Promise<void> {
  const publications = [
    { id: ids.adaPost, authorId: ids.ada, applicationId: ids.loom, content: 'A post', replyCount: 1, likeCount: 1 },
    { id: ids.bobPost, authorId: ids.bob, content: 'A locked post', locked: true, replyCount: 1, likeCount: 2 },
    {
      id: ids.adaReply,
      authorId: ids.ada,
      applicationId: ids.loom,
      parentId: ids.bobPost,
      content: 'A reply',
      locked: true,
      replyCount: 1,
    },
    { id: ids.bobReply, authorId: ids.bob, parentId: ids.adaPost, content: 'Another reply' },
    { id: ids.bobNested, authorId: ids.bob, parentId: ids.adaReply, content: 'A reply to a reply' },
    { id: ids.adaGone, authorId: ids.ada, content: '', replyCount: 1, deletedAt: moment(1772700000) },
    { id: ids.adaOrphan, authorId: ids.ada, parentId: ids.adaGone, content: 'A reply to nothing' },
  ]
  const createdAt = (index: number) => moment(1772600767 + index)
  await write.publication.createMany({
    data: publications.map((it, index) => ({ createdAt: createdAt(index), ...it })),
  })
  await write.like.createMany({
    data: [
      { publicationId: ids.adaPost, userId: ids.bob },
      { publicationId: ids.bobPost, userId: ids.ada },
      { publicationId: ids.bobPost, userId: ids.cyd },
    ],
  })
}

/** What a network is in, in an order in which it can be filled; emptied in the reverse one. */
const tables = [
  ...['users', 'applications', 'access_tokens', 'publications'],
  ...['badges', 'user_badges', 'follows', 'likes'],
]

/** The databases that keep a copy of each table of the network. */
const withCopies = new WeakSet<Database>()

/** Several statements as one, which is much faster. */
const together = (statements: readonly string[]) => `do $$ begin ${statements.join('; ')}; end $$`

/** Empties a database and fills it with the network. */
export async function settle(database: Database): Promise<void> {
  const { write } = database
  // To truncate tables that have so few rows takes longer.
  const empty = tables.toReversed().map((table) => `delete from ${table}`)
  if (withCopies.has(database)) {
    const fill = tables.map((table) => `insert into ${table} table copies.${table}`)
    await write.$executeRawUnsafe(together([...empty, ...fill]))
    return
  }
  await write.$executeRawUnsafe(together(empty))
  await insertUsers(database)
  await insertPublications(database)
  const copy = tables.map((table) => `create table copies.${table} as table ${table}`)
  await write.$executeRawUnsafe(together(['create schema copies', ...copy]))
  withCopies.add(database)
}

/** Everything of the network that an operation of the interface may change. */
export async function stateOf({ read }: Database): Promise<unknown> {
  const rowsOf = (table: string) => `(select json_agg(t order by t) from ${table} t) as ${table}`
  return read.$queryRawUnsafe(`select ${['publications', 'likes', 'follows', 'users'].map(rowsOf).join(', ')}`)
}
