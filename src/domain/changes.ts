import type { Database } from '../data/database.ts'

/** The most changes that one transaction removes. */
const removedAtOnce = 1_000

/** Removes the changes that are older than so many days, in short transactions, but the newest of them: cursors that have missed nothing name it. */
export async function removeOldChanges({ write: { prisma } }: Database, days: number): Promise<void> {
  let removed = removedAtOnce
  while (removed === removedAtOnce) {
    removed = await prisma.$executeRaw`
      with oldest as (select c.id, c.at from changes c order by c.id limit ${removedAtOnce + 1}::int),
        followed as (select id, greatest(at, lead(at) over (order by id)) as at, lead(id) over (order by id) as next from oldest)
      delete from changes where id in (
        select id from followed where next is not null and at < now() - make_interval(days => ${days}::int))`
  }
}
