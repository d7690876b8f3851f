import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { Prisma } from '../data/generated/prisma/client.ts'
import { day } from '../day.ts'
import { keyAt } from './new-id.ts'
import type { Session } from './sessions.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

/** The most rows that one transaction changes. Triggers of blocks and suspensions have the same limit. */
const eventsAtOnce = 1_000

/** Marks the notifications of the viewer as read up to a place in their list, in short transactions. */
export async function markNotificationsRead({ write }: Access, { viewerId }: Session, upTo: string): Promise<void> {
  let marked = eventsAtOnce
  while (marked === eventsAtOnce) {
    const [row] = await reportUnknownOutcome('do it again: it is idempotent', () =>
      write.run({
        text: 'select mark_notifications_read($1::uuid, $2::uuid, $3::int) as outcome',
        values: [viewerId, upTo, eventsAtOnce],
        lockKey: viewerId,
      }),
    )
    marked = Number(row?.outcome)
  }
}

/** Takes back what an account has notified others of, or only this one, in short transactions. */
export async function takeBackNotifications({ write }: Access, actor: string, recipient: string | null): Promise<void> {
  let undone = eventsAtOnce
  while (undone === eventsAtOnce) {
    const [row] = await write.prisma.$queryRaw<{ undone: number }[]>`
      select undo_events_of(${actor}::uuid, ${recipient}::uuid, ${eventsAtOnce}::int) as undone`
    undone = row?.undone ?? 0
  }
}

type Notifying = { readonly actor: string; readonly recipient: string }

/** Takes back what the transactions of the blocks of the last day have left, where it was too much for them. */
export async function takeBackAfterBlocks(database: Access): Promise<void> {
  const left = await database.write.prisma.$queryRaw<Notifying[]>`
    select actor, recipient from blocks b
    cross join lateral (values (b.blocker_id, b.blocked_id), (b.blocked_id, b.blocker_id)) pair(actor, recipient)
    where b.id > ${keyAt(Date.now() - day)}::uuid
      and exists (select from notification_events e where e.actor_id = actor and e.user_id = recipient and not e.undone)`
  for (const { actor, recipient } of left) await takeBackNotifications(database, actor, recipient)
}

/** Removes notifications with their events, no more than one transaction should, and returns whether there may be more. */
async function removeSome(client: Client, which: Prisma.Sql): Promise<boolean> {
  const [row] = await client.$queryRaw<{ found: boolean }[]>`
    with old as materialized (select n.id from notifications n where ${which} order by n.id limit ${eventsAtOnce}::int),
    events as materialized (
      select e.subject_id, e.actor_id, e.user_id from old join notification_events e on e.notification_id = old.id
      limit ${eventsAtOnce}::int),
    gone as (delete from notification_events where (subject_id, actor_id, user_id) in (table events)),
    removed as (delete from notifications where id in (table old) and (select count(*) from events) < ${eventsAtOnce}::int)
    select exists (table old) as found`
  return row?.found ?? false
}

/** Removes the notifications that nothing was added to for this many days, in short transactions. */
export async function removeOldNotifications({ write: { prisma } }: Access, days: number): Promise<void> {
  const key = keyAt(Date.now() - days * day)
  while (await removeSome(prisma, Prisma.sql`n.id < ${key}::uuid and n.latest_id < ${key}::uuid`));
}

/** Removes the notifications of an account that is being deleted, and what it did, in parts. */
export async function removeNotificationsOf(client: Client, userId: string): Promise<void> {
  while (await removeSome(client, Prisma.sql`n.user_id = ${userId}::uuid`));
  let removed = eventsAtOnce
  while (removed === eventsAtOnce) {
    removed = await client.$executeRaw`
      delete from notification_events where (subject_id, actor_id, user_id) in (
        select subject_id, actor_id, user_id from notification_events where actor_id = ${userId}::uuid
        limit ${eventsAtOnce}::int)`
  }
}
