import { NIL as nil } from 'uuid'
import type { Access, Database } from '../data/database.ts'

/** The most changes that one statement looks at or removes. */
const batchSize = 1_000

/** Removes the changes that are older than this many days, in short transactions, except for the newest of them: a cursor that has missed nothing names it. */
export async function removeOldChanges({ write: { prisma } }: Access, days: number): Promise<void> {
  const newest = await newestOldChange(prisma, days)
  let removed = newest === undefined ? 0 : batchSize
  while (removed === batchSize) {
    removed = await prisma.$executeRaw`
      delete from changes where id in (
        select id from changes where id < ${newest}::uuid order by id limit ${batchSize}::int)`
  }
}

type Dated = { readonly id: string; readonly isOld: boolean; readonly isAhead: boolean }

/** The newest change that is older than this many days. A time ahead, from a clock that was wrong, says nothing about its age. */
async function newestOldChange(prisma: Access['write']['prisma'], days: number): Promise<string | undefined> {
  let newest: string | undefined
  let looked: readonly Dated[] = []
  do {
    looked = await prisma.$queryRaw<Dated[]>`
      select id, at < now() - make_interval(days => ${days}::int) as "isOld", at > now() as "isAhead"
      from changes where id > ${looked.at(-1)?.id ?? nil}::uuid order by id limit ${batchSize}::int`
    for (const { id, isOld, isAhead } of looked) {
      if (isOld) newest = id
      else if (!isAhead) return newest
    }
  } while (looked.length === batchSize)
  return newest
}

/** For how many seconds the oldest change has been hidden from readers by a transaction that is still open; 0 if they see all. */
export async function feedLag({ runReserved }: Pick<Database, 'runReserved'>): Promise<number> {
  const text = `select extract(epoch from clock_timestamp() - at) as lag from changes where id >= change_horizon() order by id limit 1`
  const [hidden] = await runReserved<{ readonly lag: string }>(text, [])
  return Math.max(Number(hidden?.lag ?? 0), 0)
}
