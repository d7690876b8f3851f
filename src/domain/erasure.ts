import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'

/** How many likes one transaction removes. More are removed by `removeErasedLikes`, so that no deletion takes long. */
const likesAtOnce = 1_000

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
 * Turns publications, which are locked and not deleted, into tombstones without content and likes, and corrects the counters of their
 * parents. They keep their authors. Nobody sees likes that are removed later.
 */
export async function eraseLocked(transaction: Client, ids: readonly string[]): Promise<void> {
  await transaction.$executeRaw`
    with erased as (
      select id, sum(like_count) over (order by id) <= ${likesAtOnce}::int as is_small from publications where id = any(${ids}::uuid[])),
    tombstones as (
      update publications set content = '', like_count = 0, deleted_at = now() where id = any(${ids}::uuid[])),
    later as (insert into like_erasures (publication_id) select id from erased where not is_small)
    delete from likes using erased where publication_id = erased.id and is_small`
  await transaction.$executeRaw`
    update publications parent set reply_count = parent.reply_count - gone.replies
    from (select parent_id, count(*)::int as replies from publications where id = any(${ids}::uuid[]) group by parent_id) gone
    where parent.id = gone.parent_id`
}

/** Removes likes of deleted publications that had many, in short transactions, until there are none. */
export async function removeErasedLikes({ write: { prisma } }: Access): Promise<void> {
  let isMore = true
  while (isMore) isMore = await removeSomeErasedLikes(prisma)
}

/**
 * Removes likes of one publication. Returns whether it found one. What is left is known from the likes that were found, because the
 * deletion of an account may remove some of them at the same time. A deleted publication gets no new ones.
 */
async function removeSomeErasedLikes(client: Client): Promise<boolean> {
  const found = await client.$queryRaw<unknown[]>`
    with erasure as (select publication_id as id from like_erasures limit 1 for update skip locked),
    picked as materialized (
      select publication_id, user_id from likes where publication_id = (select id from erasure) limit ${likesAtOnce}::int),
    gone as (
      delete from likes where (publication_id, user_id) in (select publication_id, user_id from picked)),
    done as (
      delete from like_erasures
      where publication_id = (select id from erasure) and (select count(*) from picked) < ${likesAtOnce}::int)
    select from erasure`
  return found.length > 0
}
