import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { Prisma } from '../../engine/data/generated/prisma/client.ts'
import { relationCounters, relationsTo } from '../base/relations.ts'

/**
 * How many relations of each kind, such as likes, one transaction removes. `removeRelationsOfDeleted` removes the rest, so that no
 * deletion takes long.
 */
const relationsAtOnce = 1_000

/** A publication that is not deleted, locked until the transaction ends. */
export type LockedPublication = {
  readonly id: string
  readonly author_id: string | null
  readonly parent_id: string | null
  /** When it was last edited, or else published, in milliseconds since 1970. */
  readonly changed_at: number
}

/**
 * Locks publications, their parents and what they quote until the transaction ends, and returns the requested ones that are not deleted.
 * All writes lock publications in the order of their ids, so that none of them deadlocks with a batch of likes.
 */
export function lockWithReferences(transaction: Client, ids: readonly string[]): Promise<LockedPublication[]> {
  return transaction.$queryRaw`
    with locked as materialized (
      select id, author_id, parent_id, deleted_at,
        (extract(epoch from coalesce(edited_at, created_at)) * 1000)::float8 as changed_at
      from publications
      where id = any(${ids}::uuid[] || array(
        select unnest(array[parent_id, quoted_id]) from publications where id = any(${ids}::uuid[])))
      order by id for no key update)
    select id, author_id, parent_id, changed_at from locked where id = any(${ids}::uuid[]) and deleted_at is null`
}

/**
 * Turns publications, which are locked and not deleted, into tombstones without content, what that named, and relations such as likes, and
 * corrects the counters of their parents and of what they quoted. They keep their authors. Nobody sees relations that are removed later.
 */
export async function deleteLocked(transaction: Client, ids: readonly string[]): Promise<void> {
  const counters = Prisma.raw(
    relationCounters('publication')
      .map(({ counter }) => `, ${counter} = 0`)
      .join(''),
  )
  await transaction.$executeRaw`
    update publications
    set content = '', warning = null, language = null, tokens = '', deleted_at = now()${counters}
    where id = any(${ids}::uuid[])`
  await transaction.$executeRaw`select set_entities(${ids}::uuid[], null, null)`
  if (await removeSomeRelations(transaction, ids)) {
    const remaining = relationsTo('publication').map(
      ({ table, objectColumn }) => `select ${objectColumn} from ${table} where ${objectColumn} = any($1::uuid[])`,
    )
    await transaction.$executeRawUnsafe(
      `insert into publication_deletions (publication_id) ${remaining.join(' union ')}`,
      ids,
    )
  }
  await transaction.$executeRaw`
    update publications parent set reply_count = parent.reply_count - gone.replies
    from (select parent_id, audience, count(*)::int as replies from publications where id = any(${ids}::uuid[])
      group by parent_id, audience) gone
    where parent.id = gone.parent_id and parent.audience = gone.audience`
  await transaction.$executeRaw`
    update publications quoted set quote_count = quoted.quote_count - gone.quotes
    from (select quoted_id, count(*)::int as quotes from publications where id = any(${ids}::uuid[]) and audience = 'EVERYBODY'
      group by quoted_id) gone
    where quoted.id = gone.quoted_id`
}

/** Removes relations to deleted publications that had many, in short transactions, until there are none. */
export async function removeRelationsOfDeleted({ write: { prisma } }: Access): Promise<void> {
  const removeSome = async (transaction: Client) => {
    const [deletion] = await transaction.$queryRaw<{ publicationId: string }[]>`
      select publication_id as "publicationId" from publication_deletions limit 1 for update skip locked`
    if (deletion && !(await removeSomeRelations(transaction, [deletion.publicationId])))
      await transaction.publicationDeletion.deleteMany({ where: deletion })
    return deletion
  }
  while (await prisma.$transaction(removeSome));
}

/**
 * Removes relations to deleted publications. Returns whether there may be more. That is known from the relations that were found,
 * because the deletion of an account may remove some of them at the same time. A deleted publication gets no new ones.
 */
async function removeSomeRelations(transaction: Client, publications: readonly string[]): Promise<boolean> {
  let isMore = false
  for (const relation of relationsTo('publication')) {
    const table = Prisma.raw(relation.table)
    const key = Prisma.raw(`${relation.objectColumn}, ${relation.actorColumn}`)
    const [found] = await transaction.$queryRaw<{ count: number }[]>`
      with found as materialized (
        select ${key} from ${table} where ${Prisma.raw(relation.objectColumn)} = any(${publications}::uuid[]) limit ${relationsAtOnce}),
      gone as (delete from ${table} where (${key}) in (table found))
      select count(*)::int as count from found`
    isMore ||= found?.count === relationsAtOnce
  }
  return isMore
}
