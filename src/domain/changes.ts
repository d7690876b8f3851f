import type { Database } from '../data/database.ts'

/** The most changes that one transaction removes. */
const removedAtOnce = 1_000

/** Removes the changes that are older than this many days, in short transactions, except for the newest of them: a cursor that has missed nothing names it. */
export async function removeOldChanges({ write: { prisma } }: Database, days: number): Promise<void> {
  let removed = removedAtOnce
  while (removed === removedAtOnce) {
    removed = await prisma.$executeRaw`
      with oldest as (select id, at from changes order by id limit ${removedAtOnce + 1}::int),
        pairs as (select id, array[at, lead(at) over (order by id)] as times from oldest)
      delete from changes where id in (
        select id from pairs where now() - make_interval(days => ${days}::int) > all (times))`
  }
}

/** For how many seconds the oldest change has been hidden from readers by a transaction that is still open; 0 if they see all. */
export async function feedLag({ runReserved }: Pick<Database, 'runReserved'>): Promise<number> {
  const text = `select extract(epoch from clock_timestamp() - at) as lag from changes where id >= change_horizon() order by id limit 1`
  const [hidden] = await runReserved<{ readonly lag: string }>(text, [])
  return Math.max(Number(hidden?.lag ?? 0), 0)
}
