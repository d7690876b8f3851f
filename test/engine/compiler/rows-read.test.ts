import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { hashtagIn } from '../../../src/features/base/entities.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { rowsRead } from '../../support/database/rows-read.ts'
import { createTimeline } from '../../support/networks/timeline-rows.ts'

/** How many follows are skipped, of a little more than twice as many. Beyond half of a list, its other end is closer. */
const offset = 100

let app: TestApp
let ada: Person
const talk = newId()
let deepest: string | null = null
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  await createTimeline(app.database, ada.id, { authors: 2 * offset + 5, posts: 0, replies: 0 })
  const { prisma } = app.database.write
  // Several statements, because each has a time limit.
  for (let count = 0; count < 100; count += 10) {
    await prisma.$executeRaw`insert into publications (id, author_id, content)
      select gen_random_uuid(), users.id, 'Hello' from users, generate_series(1, 10)`
  }
  await prisma.$executeRaw`insert into publications (id, author_id, parent_id, content)
    select gen_random_uuid(), ${ada.id}::uuid, id, 'Hello' from publications limit 200`
  await prisma.$executeRaw`insert into publications (id, author_id, content) values (${talk}::uuid, ${ada.id}::uuid, 'Hello')`
  await prisma.$executeRaw`insert into publications (id, author_id, parent_id, content, deleted_at)
    select gen_random_uuid(), users.id, ${talk}::uuid, case when number % 3 > 0 then 'Hello' else '' end,
      case when number % 3 = 0 then now() end
    from users, generate_series(1, 10) number`
  for (let depth = 0; depth < 150; depth += 1) {
    const data = { id: newId(), authorId: ada.id, content: 'Hello', parentId: deepest }
    deepest = (await prisma.publication.create({ data })).id
  }
  await prisma.$executeRaw`insert into reports (id, subject_id, user_id, username, display_name, content, reason, state, closed_at)
    select gen_random_uuid(), id, author_id, 'then', 'Then', content, 'SPAM', state::report_state,
      case state when 'CLOSED' then now() end
    from (select * from publications limit 1000) p, (values ('OPEN'), ('CLOSED'), ('CLOSED')) states (state)`
  await prisma.$executeRaw`insert into appeals (id, user_id, text, state, answered_at)
    select gen_random_uuid(), author_id, 'Please', 'REJECTED', now() from (select * from publications limit 1000) p`
  await prisma.$executeRaw`insert into moderation_acts (id, action, subject_id, user_id, username)
    select gen_random_uuid(), 'USER_SUSPENDED', author_id, author_id, 'then' from publications limit 1000`
  await prisma.$executeRaw`insert into invitations (id, creator_id, hash, max_uses, expires_at)
    select gen_random_uuid(), author_id, convert_to(id::text, 'UTF8'), 1, now() + interval '1 day'
    from (select * from publications limit 1000) p`
  await prisma.$executeRaw`with waiting as (
      insert into users (id, username, display_name, email)
      select gen_random_uuid(), 'waiting_' || number, 'Waiting', 'waiting@example.org' from generate_series(1, 1000) number
      returning id)
    insert into pending_accounts (id, reason) select id, 'Please' from waiting`
  const hashtag = { id: '', name: '', ...hashtagIn('common') }
  await prisma.hashtag.create({ data: { ...hashtag, publicationCount: 20_000 } })
  await prisma.$executeRaw`insert into hashtag_uses (publication_id, hashtag_id, range_start, range_end, is_listed)
    select id, ${hashtag.id}::uuid, place * 10, place * 10 + 7, place = 0
    from (select id from publications limit 5000) p, generate_series(0, 1) place`
  // Plans then count on index-only scans.
  await prisma.$executeRaw`vacuum analyze`
})
afterAll(() => app.close())

/** How many rows of a table the statement of a query looks at. */
const rowsReadOf = async (table: string, source: string, hides = false) =>
  (await rowsRead(app, ada.id, source, { hides })).get(table) ?? 0

test('skipping follows reads none of the skipped accounts', async () => {
  const source = `{ user(by: { uuid: "${ada.id}" }) { following(first: 1, offset: ${offset}) { nodes { uuid } } } }`
  expect(await rowsReadOf('follows', source)).toBeGreaterThan(offset)
  expect(await rowsReadOf('users', source)).toBeLessThan(10)
})

const selections = ['author { username }', 'viewerHasLiked', 'uuid author { uuid } replyCount']
const lists = ['', '(first: 5)', '(last: 5)', '(first: 5, after: null)']

test.each(lists.flatMap((list) => selections.map((selection) => [list, selection])))(
  'publicTimeline%s { %s } reads no more posts than its page has',
  async (list, selection) => {
    const source = `{ publicTimeline${list} { nodes { ${selection} } } }`
    const read = await rowsReadOf('publications', source)
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(50)
  },
)

test('the publicTimeline of who mutes looks each author up, and reads no more posts', async () => {
  const source = '{ publicTimeline(first: 5) { nodes { content } } }'
  expect(await rowsReadOf('publications', source, true)).toBeLessThan(50)
  expect(await rowsReadOf('mutes', source, true)).toBe(0)
})

test.each(['posts', 'replies'])('the %s of a user read no more publications than their page has', async (field) => {
  const source = `{ user(by: { uuid: "${ada.id}" }) { ${field}(first: 5) { nodes { content } } } }`
  const read = await rowsReadOf('publications', source)
  expect(read).toBeGreaterThan(0)
  expect(read).toBeLessThan(10)
})

describe('however long a thread is', () => {
  const fields =
    'nodes { author { username } ancestors { uuid } } edges { cursor } places { uuid } pageInfo { hasNextPage endCursor }'
  const pages = ['first: 5', 'last: 5', 'first: 5, offset: 20']

  test.each(pages.flatMap((args) => [true, false].map((hides) => [args, hides] as const)))(
    'a page of it reads its own rows: %s, if the viewer hides somebody: %s',
    async (args, hides) => {
      const read = await rowsReadOf(
        'publications',
        `{ post(uuid: "${talk}") { thread(${args}) { ${fields} } } }`,
        hides,
      )
      expect(read).toBeGreaterThan(5)
      expect(read).toBeLessThan(50)
    },
  )

  test('the ancestors of a reply read one row for each, and at most 100', async () => {
    const read = await rowsReadOf('publications', `{ post(uuid: "${deepest}") { ancestors { content } } }`)
    expect(read).toBeGreaterThan(100)
    expect(read).toBeLessThan(110)
  })
})

test.each(['hashtag_uses', 'publications'])('a page of a hashtag reads no more %s than it has', async (table) => {
  const source = '{ hashtag(name: "common") { publications(first: 5) { nodes { content } } } }'
  for (const hides of [false, true]) {
    const read = await rowsReadOf(table, source, hides)
    expect(read).toBeGreaterThan(0)
    expect(read).toBeLessThan(50)
  }
})

test.each([
  ['reports', 'reports(first: 5) { nodes { content user { username } } }'],
  ['reports', 'reports(state: CLOSED, first: 5) { nodes { content } }'],
  ['appeals', 'appeals(state: REJECTED, first: 5) { nodes { text user { username } } }'],
  ['invitations', 'invitations(first: 5) { nodes { uses } }'],
  ['invitations', 'allInvitations(first: 5) { nodes { uses creator { username } } }'],
  ['pending_accounts', 'pendingAccounts(first: 5) { nodes { reason user { username } } }'],
  ['moderation_acts', 'moderationLog(first: 5) { nodes { username } }'],
])('a page of %s reads no more rows than it has: %s', async (table, field) => {
  const read = await rowsReadOf(table, `{ ${field} }`)
  expect(read).toBeGreaterThan(0)
  expect(read).toBeLessThan(10)
})

test('a statement uses one process, however much it reads', async () => {
  const plan = await app.database.write.limitedTransaction(async (transaction) => {
    // As if the table were so large that these costs did not matter.
    await transaction.$executeRaw`SET LOCAL parallel_setup_cost = 0`
    await transaction.$executeRaw`SET LOCAL parallel_tuple_cost = 0`
    await transaction.$executeRaw`SET LOCAL min_parallel_table_scan_size = 0`
    return transaction.$queryRaw`EXPLAIN (FORMAT JSON) SELECT count(content) FROM publications`
  })
  expect(JSON.stringify(plan)).toContain('Scan')
  expect(JSON.stringify(plan)).not.toContain('Gather')
})

describe('notifications', () => {
  const page = '{ viewer { notifications(first: 100) { nodes { count } pageInfo { hasNextPage } } } }'
  const count = '{ viewer { unreadNotificationCount } }'

  beforeAll(async () => {
    const { prisma } = app.database.write
    await prisma.$executeRaw`insert into mentions (publication_id, user_id, range_start, range_end, notice_key)
      select id, ${ada.id}::uuid, 0, 1, notification_key() from publications where author_id <> ${ada.id}::uuid limit 3000`
    await prisma.$executeRaw`insert into likes (id, user_id, publication_id, author_id, notice_key)
      select gen_random_uuid(), users.id, p.id, ${ada.id}::uuid, notification_key()
      from users, (select id from publications where author_id = ${ada.id}::uuid limit 15) p
      where users.id not in (select id from pending_accounts)`
    await prisma.$executeRaw`analyze`
  })

  const eventsRead = async (source: string) =>
    (await rowsReadOf('mentions', source)) + (await rowsReadOf('likes', source))

  test('are read in their order', async () => {
    expect(await eventsRead(page.replace('100', '5'))).toBeLessThan(2 * 50 + 10)
    expect(await eventsRead(count)).toBeLessThan(110)
  })

  test('read no more than 1,000 events at once, also if all are of muted accounts', async () => {
    await app.database.write.prisma.$executeRaw`insert into mutes (id, muter_id, muted_id)
      select gen_random_uuid(), ${ada.id}::uuid, id from users where id <> ${ada.id}::uuid`
    const read = [await eventsRead(page), await eventsRead(count)]
    expect(Math.min(...read)).toBeGreaterThan(999)
    expect(Math.max(...read)).toBeLessThan(2 * 1_000 + 10)
  })
})
