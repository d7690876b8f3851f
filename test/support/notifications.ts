import { expect } from 'vitest'
import { z } from 'zod'
import type { Database } from '../../src/data/database.ts'
import type { Person, TestApp } from './app.ts'
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

/**
 * Notifications that differ from what they tell of: from their events, or events that differ from the likes, follows, replies and mentions of accounts
 * that are not suspended and not blocked. What a block took back does not return with its end. It expects that nobody has muted anybody.
 */
export function wrongNotifications({ write: { prisma } }: Pick<Database, 'write'>): Promise<unknown[]> {
  return prisma.$queryRaw`
    with causes as (
      select l.publication_id as subject, l.user_id as actor, p.author_id as recipient, 'LIKE' as kind
      from likes l join live_publications p on p.id = l.publication_id
      union all select followee_id, follower_id, followee_id, 'FOLLOW' from follows
      union all select r.id, r.author_id, p.author_id, 'TEXT'
      from live_publications r join publications p on p.id = r.parent_id
      union all select m.publication_id, p.author_id, m.user_id, 'TEXT'
      from mentions m join live_publications p on p.id = m.publication_id),
    due as (
      select c.* from causes c join users u on u.id = c.actor
      where c.actor <> c.recipient and u.suspended_at is null
        and not exists (select from hidings h where h.viewer_id = c.recipient and h.hidden_id = c.actor)),
    told as (
      select e.subject_id as subject, e.actor_id as actor, e.user_id as recipient,
        case when n.kind in ('REPLY', 'MENTION') then 'TEXT' else n.kind::text end
      from notification_events e join notifications n on n.id = e.notification_id
      where not e.undone and n.count > 0)
    select 'not told' as wrong, d::text as what from (table due except table told) d
    where not exists (
      select from changes b where b.kind = 'BLOCKED'
        and (b.actor_id, b.user_id) in ((d.actor, d.recipient), (d.recipient, d.actor)))
    union all select 'not due', d::text from (table told except table due) d
    union all select 'count', n::text from notifications n
    where n.count > 0 and n.kind <> 'REMOVED' and (n.count, n.latest_id) <> (
      select count(*)::int, max(e.id::text)::uuid from notification_events e where e.notification_id = n.id and not e.undone)
    union all select 'not one', min(n.id::text) from notifications n where n.unread and n.kind in ('LIKE', 'FOLLOW')
    group by n.user_id, n.subject_id, n.kind having count(*) > 1`
}
