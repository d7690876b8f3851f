import { expect } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../../src/engine/data/database.ts'
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

/** How many likes, follows, replies and mentions tell somebody of themselves. */
export async function countNotices({ write: { prisma } }: Pick<Database, 'write'>): Promise<number> {
  const where = { noticeKey: { not: null } }
  const { like, follow, publication, mention } = prisma
  const counts = [
    like.count({ where }),
    follow.count({ where }),
    publication.count({ where }),
    mention.count({ where }),
  ]
  return (await Promise.all(counts)).reduce((sum, count) => sum + count, 0)
}

/** Likes, follows, replies and mentions that do not tell of themselves exactly those whom they concern, of what nobody imported or seeded. */
export function wrongNotifications({ write: { prisma } }: Pick<Database, 'write'>): Promise<unknown[]> {
  return prisma.$queryRaw`
    select 'LIKE' as wrong, l::text as what from likes l join live_publications p on p.id = l.publication_id
    where (l.author_id, l.notice_key is not null) is distinct from (nullif(p.author_id, l.user_id), p.author_id <> l.user_id)
    union all select 'FOLLOW', f::text from follows f where f.notice_key is null
    union all select 'REPLY', r::text from publications r join publications p on p.id = r.parent_id
    where r.deleted_at is null and p.author_id is not null
      and (r.parent_author_id, r.notice_key is not null) is distinct from (nullif(p.author_id, r.author_id), p.author_id <> r.author_id)
    union all select 'MENTION', min(m::text) from mentions m join publications p on p.id = m.publication_id
    group by m.publication_id, m.user_id, p.author_id, p.parent_author_id
    having count(m.notice_key) <> (m.user_id <> p.author_id and m.user_id is distinct from p.parent_author_id)::int`
}
