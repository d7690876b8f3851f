import type { Database } from '../../src/data/database.ts'

/** The rows whose stored counters differ from the counted rows, and likes of deleted publications that nothing will remove. There must never be any. */
export async function wrongCounters({ write: { prisma } }: Database): Promise<unknown[]> {
  const publications: unknown[] = await prisma.$queryRaw`
    select p.id, p.reply_count, p.like_count, p.deleted_at from publications p
    where p.reply_count <> (select count(*) from publications r where r.parent_id = p.id and r.deleted_at is null)
      or (p.deleted_at is not null and p.like_count <> 0)
      or p.like_count <> (select count(*) from likes l where l.publication_id = p.id)
        and not exists (select from like_erasures e where e.publication_id = p.id)`
  const users: unknown[] = await prisma.$queryRaw`
    select u.id, u.follower_count, u.following_count from users u
    where u.follower_count <> (select count(*) from follows f where f.followee_id = u.id)
      or u.following_count <> (select count(*) from follows f where f.follower_id = u.id)`
  return [...publications, ...users]
}

/** How many deadlocks the database has ended. */
export function deadlocks({ write: { prisma } }: Database): Promise<unknown> {
  return prisma.$queryRaw`select deadlocks::int from pg_stat_database where datname = current_database()`
}
