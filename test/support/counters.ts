import type { Database } from '../../src/data/database.ts'
import { countersIn } from '../../src/domain/edges.ts'

/** The rows whose stored counters differ from the counted rows, publications with another root than their parents, and edges to deleted publications that nothing will remove. There must never be any. */
export async function wrongCounters({ write: { prisma } }: Database): Promise<unknown[]> {
  const wrong = (noun: 'publication' | 'user') =>
    countersIn(noun).map(({ counter, count }) => `it.${counter} <> ${count}`)
  const publications = await prisma.$queryRawUnsafe<unknown[]>(`
    select it.* from publications it
    where it.reply_count <> (select count(*) from publications r where r.parent_id = it.id and r.deleted_at is null)
      or it.root_id is distinct from coalesce((select p.root_id from publications p where p.id = it.parent_id), it.id)
      or (${wrong('publication').join(' or ')}) and not exists (select from like_erasures e where e.publication_id = it.id)
      or it.deleted_at is not null and (${countersIn('publication')
        .map(({ counter }) => `it.${counter} <> 0`)
        .join(' or ')})`)
  const users = await prisma.$queryRawUnsafe<unknown[]>(`select it.* from users it where ${wrong('user').join(' or ')}`)
  return [...publications, ...users, ...(await wrongHidings(prisma))]
}

/** The accounts that are hidden from one another without a block or the other way round, and those that follow one another nevertheless. */
function wrongHidings(prisma: Database['write']['prisma']): Promise<unknown[]> {
  return prisma.$queryRaw`
    with blocked as (select blocker_id, blocked_id from blocks union select blocked_id, blocker_id from blocks)
    (table hidings except table blocked) union all (table blocked except table hidings)
    union all (select follower_id, followee_id from follows intersect table hidings)`
}

/** How many deadlocks the database has ended. */
export function deadlocks({ write: { prisma } }: Database): Promise<unknown> {
  return prisma.$queryRaw`select deadlocks::int from pg_stat_database where datname = current_database()`
}
