import { NIL as nil } from 'uuid'
import type { Newest } from '../../engine/data/change-watch.ts'
import type { Access, Database } from '../../engine/data/database.ts'
import { inBatches } from '../../engine/data/in-batches.ts'

/**
 * Removes the changes that are older than this many days, in short transactions, except for the newest of them: a cursor that has
 * missed nothing names it.
 */
export async function removeOldChanges({ write: { prisma } }: Access, days: number): Promise<void> {
  const newest = await newestOldChange(prisma, days)
  if (newest === undefined) return
  await inBatches(
    (size) => prisma.$executeRaw`
      delete from changes where id in (
        select id from changes where id < ${newest}::uuid order by id limit ${size}::int)`,
  )
}

type DatedChange = { readonly id: string; readonly isOld: boolean; readonly isAhead: boolean }

/** The newest change that is older than this many days. A time ahead, from a clock that was wrong, says nothing about its age. */
async function newestOldChange(prisma: Access['write']['prisma'], days: number): Promise<string | undefined> {
  let newest: string | undefined
  let last: string = nil
  await inBatches(async (size) => {
    const changes = await prisma.$queryRaw<DatedChange[]>`
      select id, at < now() - make_interval(days => ${days}::int) as "isOld", at > now() as "isAhead"
      from changes where id > ${last}::uuid order by id limit ${size}::int`
    const recent = changes.findIndex(({ isOld, isAhead }) => !isOld && !isAhead)
    const looked = recent < 0 ? changes : changes.slice(0, recent)
    newest = looked.findLast(({ isOld }) => isOld)?.id ?? newest
    last = changes.at(-1)?.id ?? last
    return looked.length
  })
  return newest
}

/** For how many seconds the oldest change has been hidden from readers by a transaction that is still open; 0 if they see all. */
export async function feedLag({ runReserved }: Pick<Database, 'runReserved'>): Promise<number> {
  const text = `select extract(epoch from clock_timestamp() - at) as lag from changes where id >= change_horizon() order by id limit 1`
  const [hidden] = await runReserved<{ readonly lag: string }>(text, [])
  return Math.max(Number(hidden?.lag ?? 0), 0)
}

// Both ids are found at the end of the index, however many changes are stored.
const newest = `
  select encode(uuid_send((select id from changes where id < change_horizon() order by id desc limit 1)), 'hex') as id,
    (select id >= change_horizon() from changes order by id desc limit 1) as "isMore"`

/** The newest change that readers see, and whether there are newer ones that they will see later; undefined if no change is stored. */
export async function findNewestChange({ runReserved }: Pick<Database, 'runReserved'>): Promise<Newest | undefined> {
  const [found] = await runReserved<Newest>(newest, [])
  return found
}
