import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { Prisma } from '../data/generated/prisma/client.ts'
import { namesOf } from './edge-names.ts'
import { edgesTo } from './edges.ts'

/** How many edges of each kind, such as likes, one transaction removes. More are removed by `removeErasedEdges`, so that no deletion takes long. */
const edgesAtOnce = 1_000

/** The edges that lead to publications. */
const edgesOf = edgesTo('publication').map(namesOf)

/** A publication that is not deleted, locked until the transaction ends. */
export type LockedPublication = {
  readonly id: string
  readonly author_id: string | null
  readonly parent_id: string | null
  /** When it was last edited, or else published, in milliseconds since 1970. */
  readonly changed_at: number
}

/**
 * Locks publications and their parents until the transaction ends, and returns the requested ones that are not deleted.
 * All writes lock publications in the order of their ids, so that none of them deadlocks with a batch of likes.
 */
export function lockWithParents(transaction: Client, ids: readonly string[]): Promise<LockedPublication[]> {
  return transaction.$queryRaw`
    with locked as materialized (
      select id, author_id, parent_id, deleted_at,
        (extract(epoch from coalesce(edited_at, created_at)) * 1000)::float8 as changed_at
      from publications
      where id = any(${ids}::uuid[] || array(select parent_id from publications where id = any(${ids}::uuid[])))
      order by id for no key update)
    select id, author_id, parent_id, changed_at from locked where id = any(${ids}::uuid[]) and deleted_at is null`
}

/**
 * Turns publications, which are locked and not deleted, into tombstones without content and edges such as likes, and corrects the counters
 * of their parents. They keep their authors. Nobody sees edges that are removed later.
 */
export async function eraseLocked(transaction: Client, ids: readonly string[]): Promise<void> {
  const counters = edgesOf.flatMap(({ got }) => (got ? [Prisma.sql`${got} = 0`] : []))
  const numbers = edgesOf.map(
    ({ table, to }) =>
      Prisma.sql`(select count(*) from (select from ${table} e where e.${to} = p.id limit ${edgesAtOnce + 1}::int) e)`,
  )
  const removed = edgesOf.map(
    ({ table, to }) =>
      Prisma.sql`gone_${table} as (delete from ${table} using erased where ${to} = erased.id and is_small)`,
  )
  await transaction.$executeRaw`
    with erased as (
      select p.id, sum(${Prisma.join(numbers, ' + ')}) over (order by p.id) <= ${edgesAtOnce}::int as is_small
      from publications p where p.id = any(${ids}::uuid[])),
    tombstones as (
      update publications set ${Prisma.join([Prisma.sql`content = '', deleted_at = now()`, ...counters])} where id = any(${ids}::uuid[])),
    ${Prisma.join(removed)}
    insert into like_erasures (publication_id) select id from erased where not is_small`
  await transaction.$executeRaw`
    update publications parent set reply_count = parent.reply_count - gone.replies
    from (select parent_id, count(*)::int as replies from publications where id = any(${ids}::uuid[]) group by parent_id) gone
    where parent.id = gone.parent_id`
}

/** Removes edges to deleted publications that had many, in short transactions, until there are none. */
export async function removeErasedEdges({ write: { prisma } }: Access): Promise<void> {
  let isMore = true
  while (isMore) isMore = await removeSomeErasedEdges(prisma)
}

/**
 * Removes edges to one publication. Returns whether it found one. What is left is known from the edges that were found, because the
 * deletion of an account may remove some of them at the same time. A deleted publication gets no new ones.
 */
async function removeSomeErasedEdges(client: Client): Promise<boolean> {
  const removed = edgesOf.map(
    ({ table, from, to }) => Prisma.sql`
      some_${table} as materialized (
        select ${to}, ${from} from ${table} where ${to} = (select id from erasure) limit ${edgesAtOnce}::int),
      gone_${table} as (delete from ${table} where (${to}, ${from}) in (select ${to}, ${from} from some_${table}))`,
  )
  const areAllFound = edgesOf.map(({ table }) => Prisma.sql`(select count(*) from some_${table}) < ${edgesAtOnce}::int`)
  const found = await client.$queryRaw<unknown[]>`
    with erasure as (select publication_id as id from like_erasures limit 1 for update skip locked),
    ${Prisma.join(removed)},
    done as (
      delete from like_erasures
      where publication_id = (select id from erasure) and ${Prisma.join(areAllFound, ' and ')})
    select from erasure`
  return found.length > 0
}
