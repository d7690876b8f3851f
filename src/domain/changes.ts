import type { Database } from '../data/database.ts'

/** The most changes that one transaction removes. */
const removedAtOnce = 1_000

/** Removes all changes that are older than so many days, in short transactions, but never the newest that readers see. */
export async function removeOldChanges({ write: { prisma } }: Database, days: number): Promise<void> {
  let removed = removedAtOnce
  while (removed === removedAtOnce) {
    removed = await prisma.$executeRaw`
      with newest as (select id from changes where id < change_horizon() order by id desc limit 1)
      delete from changes where id in (
        select oldest.id from (select c.id, c.at from changes c order by c.id limit ${removedAtOnce}::int) oldest, newest
        where oldest.id < newest.id and oldest.at < now() - make_interval(days => ${days}::int))`
  }
}
