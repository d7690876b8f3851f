import type { DatabaseOptions } from '../../src/engine/data/database.ts'
import { wrongCounters } from '../support/database/counters.ts'
import { wrongNotifications } from '../support/graphql/notifications.ts'
import { type Ledger, nameOf } from './load.ts'
import { use } from './network.ts'

/** A change as the database has recorded it. */
export type Recorded = {
  readonly id: string
  readonly kind: string
  readonly actor: string
  /** The publication or the followed user. */
  readonly object: string
  readonly parent: string | null
  /** The text of the publication now. */
  readonly content: string | null
}

const verbs: Readonly<Record<string, string>> = {
  PUBLISHED: 'sends',
  EDITED: 'edits',
  DELETED: 'deletes',
  LIKED: 'likes',
  UNLIKED: 'likes',
  FOLLOWED: 'follows',
  UNFOLLOWED: 'follows',
  BLOCKED: 'blocks',
  UNBLOCKED: 'blocks',
}

/** All changes of a database, in the order of the feed. */
export function readChanges(options: DatabaseOptions): Promise<Recorded[]> {
  return use(
    options,
    ({ write: { prisma } }) => prisma.$queryRaw<Recorded[]>`
      select c.id, c.kind::text, c.actor_id as actor, coalesce(c.publication_id, c.user_id) as object,
        c.parent_id as parent, p.content
      from changes c left join publications p on p.id = c.publication_id where c.kind not in ('NOTIFIED', 'PROFILE_EDITED') order by c.id`,
  )
}

/** As the ids of changes begin with. */
const transactionOf = ({ id }: Recorded) => id.slice(0, 13)

/** The writes that changes contradict: acknowledged ones that are missing, and any that were applied too often. */
export function contradictions({ writes }: Ledger, changes: readonly Recorded[]): unknown[] {
  const applied = new Map<string, number>()
  const blocking = new Set(changes.filter(({ kind }) => kind === 'BLOCKED').map(transactionOf))
  for (const change of changes) {
    const { kind, actor, object, content } = change
    // A block ends follows.
    if (kind === 'UNFOLLOWED' && blocking.has(transactionOf(change))) continue
    const verb = verbs[kind] ?? kind
    const name = nameOf(actor, verb, object)
    // The sender does not know the UUID of what was not acknowledged.
    const known = verb !== 'sends' || writes.has(name) ? name : nameOf(actor, verb, content ?? 'lost')
    applied.set(known, (applied.get(known) ?? 0) + 1)
  }
  return [...new Set([...writes.keys(), ...applied.keys()])].flatMap((name) => {
    const { acknowledged, unknown } = writes.get(name) ?? { acknowledged: 0, unknown: 0 }
    const times = applied.get(name) ?? 0
    return times < acknowledged || times > acknowledged + unknown ? [{ name, acknowledged, unknown, times }] : []
  })
}

/** The rows that differ from their changes, and the counters and notifications that differ from the rows. */
export function audit(options: DatabaseOptions): Promise<unknown[]> {
  return use(options, async (database) => {
    const rows: unknown[] = await database.write.prisma.$queryRaw`
      select c.publication_id, p.content, p.deleted_at, p.like_count, c.* from (
        select publication_id, bool_or(kind = 'DELETED') as is_deleted, bool_or(kind = 'EDITED') as is_edited,
          count(*) filter (where kind = 'LIKED') - count(*) filter (where kind = 'UNLIKED') as likes
        from changes where publication_id is not null group by publication_id) c
      left join publications p on p.id = c.publication_id
      where p.id is null or is_deleted <> (p.deleted_at is not null)
        or not is_deleted and (likes <> p.like_count or is_edited <> (p.content like 'edited %'))`
    const edges: unknown[] = await database.write.prisma.$queryRaw`
      select * from (
        select kind::text like '%BLOCKED' as is_block, actor_id, user_id, sum(case when kind::text like 'UN%' then -1 else 1 end) as edges
        from changes where user_id is not null and kind::text ~ '(FOLLOW|BLOCK)ED$' group by 1, 2, 3) c
      full join (
        select false as is_block, follower_id as actor_id, followee_id as user_id from follows
        union all select true, blocker_id, blocked_id from blocks) e using (is_block, actor_id, user_id)
      where coalesce(c.edges, 0) <> (e.actor_id is not null)::int`
    return [...rows, ...edges, ...(await wrongCounters(database)), ...(await wrongNotifications(database))]
  })
}
