import { expect } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../../src/engine/data/database.ts'
import { Prisma } from '../../../src/engine/data/generated/prisma/client.ts'
import { relations } from '../../../src/features/base/relations.ts'
import type { Person, TestApp } from '../app.ts'
import { mutate } from './mutate.ts'

const notification = z.object({
  id: z.uuid(),
  cursor: z.string(),
  kind: z.string(),
  count: z.number(),
  actors: z.array(z.object({ username: z.string() })),
  publication: z.object({ uuid: z.uuid() }).nullable(),
  reason: z.string().nullable(),
  createdAt: z.iso.datetime(),
  isUnread: z.boolean(),
})

const answer = z.object({
  viewer: z.object({
    unreadNotificationCount: z.number(),
    notifications: z.object({
      nodes: z.array(notification),
      pageInfo: z.object({ endCursor: z.string().nullable(), hasNextPage: z.boolean() }),
    }),
  }),
})

const document = `query ($kinds: [NotificationKind!], $first: Int, $after: String) {
  viewer {
    unreadNotificationCount
    notifications(kinds: $kinds, first: $first, after: $after) {
      nodes { id cursor kind count actors { username } publication { uuid } reason createdAt isUnread }
      pageInfo { endCursor hasNextPage }
    }
  }
}`

/** A notification as the tests read it. */
export type Notification = z.infer<typeof notification>

/** One page of the notifications of a person, and how many they have not read. */
export async function pageOfNotifications(app: TestApp, { token }: Person, variables: Record<string, unknown> = {}) {
  const { data, errors } = await app.graphql(token, document, variables)
  if (errors.length > 0) throw new Error(JSON.stringify(errors))
  const { unreadNotificationCount: unread, notifications } = answer.parse(data).viewer
  return { unread, ...notifications }
}

/** All notifications of a person. The number of unread ones has to be theirs. */
export async function notificationsOf(app: TestApp, person: Person): Promise<Notification[]> {
  const { nodes, unread, pageInfo } = await pageOfNotifications(app, person, { first: 100 })
  expect(pageInfo.hasNextPage).toBe(false)
  expect(nodes.filter(({ isUnread }) => isUnread)).toHaveLength(unread)
  return nodes
}

/** Notifications in short: whether they are unread, the kind, the number, and who did it, without what follows `_` in their names. */
export async function inShort(app: TestApp, person: Person): Promise<string[]> {
  return (await notificationsOf(app, person)).map(({ kind, count, actors, isUnread }) =>
    [...(isUnread ? ['new'] : []), kind, count, ...actors.map(({ username }) => username.split('_')[0])].join(' '),
  )
}

/** Marks everything as read that a person has now, or up to a cursor, and returns how many are unread then. */
export async function readAll(app: TestApp, person: Person, cursor?: string): Promise<number> {
  const upTo = cursor ?? (await notificationsOf(app, person))[0]?.cursor
  const { data } = await mutate(app, person, 'markNotificationsRead', { upTo }, 'viewer { unreadNotificationCount }')
  const payload = z.object({ viewer: z.object({ unreadNotificationCount: z.number() }) })
  return z.object({ markNotificationsRead: payload }).parse(data).markNotificationsRead.viewer.unreadNotificationCount
}

const notifying = relations.filter(({ notification }) => notification)

/** How many relations, replies and mentions tell somebody of themselves. */
export async function countNotices({ write: { prisma } }: Pick<Database, 'write'>): Promise<number> {
  const tables = [...notifying.map(({ table }) => table), 'publications', 'mentions']
  const counts = tables.map((table) => `(select count(*)::int from ${table} where notice_key is not null)`)
  const [row] = await prisma.$queryRawUnsafe<{ count: number }[]>(`select ${counts.join(' + ')} as count`)
  return row?.count ?? 0
}

/** Relations that do not tell of themselves exactly those whom they concern. */
const wrongRelations = notifying.map(({ notification, table, objectType, objectColumn, actorColumn }) =>
  objectType === 'user'
    ? `select '${notification?.kind}' as wrong, r::text as what from ${table} r where r.notice_key is null`
    : `select '${notification?.kind}' as wrong, r::text as what from ${table} r join live_publications p on p.id = r.${objectColumn}
      where (r.author_id, r.notice_key is not null)
        is distinct from (nullif(p.author_id, r.${actorColumn}), p.author_id <> r.${actorColumn})`,
)

/**
 * Relations, replies and mentions that do not tell of themselves exactly those whom they concern, of what nobody imported or
 * seeded.
 */
export function wrongNotifications({ write: { prisma } }: Pick<Database, 'write'>): Promise<unknown[]> {
  return prisma.$queryRaw`
    ${Prisma.raw(wrongRelations.join(' union all '))}
    union all select 'REPLY', r::text from publications r join publications p on p.id = r.parent_id
    where r.deleted_at is null and p.author_id is not null
      and (r.parent_author_id, r.notice_key is not null) is distinct from (nullif(p.author_id, r.author_id), p.author_id <> r.author_id)
    union all select 'QUOTE', q::text from publications q join publications p on p.id = q.quoted_id,
      lateral (select nullif(nullif(p.author_id, q.author_id), q.parent_author_id) as id) told
    where q.deleted_at is null and p.author_id is not null
      and (q.quoted_author_id, q.quote_key is not null) is distinct from (told.id, told.id is not null)
    union all select 'MENTION', min(m::text) from mentions m join publications p on p.id = m.publication_id
    group by m.publication_id, m.user_id, p.author_id, p.parent_author_id, p.quoted_author_id
    having count(m.notice_key) <> (m.user_id <> p.author_id and m.user_id is distinct from p.parent_author_id
      and m.user_id is distinct from p.quoted_author_id)::int`
}
