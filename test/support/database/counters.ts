import type { Database } from '../../../src/engine/data/database.ts'
import { relationCounters } from '../../../src/features/base/relations.ts'

/**
 * The rows whose stored counters differ from the counted rows, publications with another root than their parents, and relations to
 * deleted publications that nothing will remove. There must never be any.
 */
export async function wrongCounters({ write: { prisma } }: Database): Promise<unknown[]> {
  const wrong = (noun: 'publication' | 'user') =>
    relationCounters(noun).map(({ counter, count }) => `it.${counter} <> ${count}`)
  const publications = await prisma.$queryRawUnsafe<unknown[]>(`
    select to_jsonb(it) from publications it
    where it.reply_count <> (
        select count(*) from publications r where r.parent_id = it.id and r.deleted_at is null and r.audience = it.audience)
      or it.quote_count <> (
        select count(*) from publications q where q.quoted_id = it.id and q.deleted_at is null and q.audience = 'EVERYBODY')
      or it.root_id is distinct from coalesce((select p.root_id from publications p where p.id = it.parent_id), it.id)
      or (${wrong('publication').join(' or ')}) and not exists (select from publication_deletions e where e.publication_id = it.id)
      or it.deleted_at is not null and (${relationCounters('publication')
        .map(({ counter }) => `it.${counter} <> 0`)
        .join(' or ')})`)
  const users = await prisma.$queryRawUnsafe<unknown[]>(
    `select to_jsonb(it) from users it where ${wrong('user').join(' or ')}`,
  )
  return [...publications, ...users, ...(await wrongHidings(prisma)), ...(await wrongEntities(prisma))]
}

/**
 * The accounts that are hidden from one another without a block or the other way round, those that follow one another, or ask to,
 * nevertheless, and those that ask to follow whom they follow.
 */
function wrongHidings(prisma: Database['write']['prisma']): Promise<unknown[]> {
  return prisma.$queryRaw`
    with blocked as (select blocker_id, blocked_id from blocks union select blocked_id, blocker_id from blocks)
    (table blocked_pairs except table blocked) union all (table blocked except table blocked_pairs)
    union all (select follower_id, followee_id from follows intersect table blocked_pairs)
    union all (select requester_id, requested_id from follow_requests
      intersect (table blocked_pairs union select follower_id, followee_id from follows))`
}

/** The hashtags that no publication has or that are counted wrongly, and what a deleted publication still names. */
function wrongEntities(prisma: Database['write']['prisma']): Promise<unknown[]> {
  return prisma.$queryRaw`
    select h.name from hashtags h where h.publication_count + h.other_count = 0 or (h.publication_count, h.other_count) <> (
      select count(*) filter (where p.audience = 'EVERYBODY'), count(*) filter (where p.audience <> 'EVERYBODY') from publications p
      where exists (select from hashtag_uses u where u.publication_id = p.id and u.hashtag_id = h.id))
    union all select p.id::text from publications p where p.deleted_at is not null and (
      exists (select from hashtag_uses u where u.publication_id = p.id) or exists (select from mentions m where m.publication_id = p.id))`
}

/** How many deadlocks the database has ended. */
export function deadlocks({ write: { prisma } }: Database): Promise<unknown> {
  return prisma.$queryRaw`select deadlocks::int from pg_stat_database where datname = current_database()`
}
