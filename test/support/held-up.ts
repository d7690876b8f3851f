import { setTimeout } from 'node:timers/promises'
import type { Client } from '../../src/data/client.ts'
import type { Database } from '../../src/data/database.ts'
import { liftLockLimit } from './lock-limit.ts'

/**
 * Sends requests while a transaction that has made a change is open, commits it when they all wait for it, and returns their results.
 * On PGlite they wait for its one connection. At most eight requests, so that the pool has a connection for each.
 */
export async function heldUp<T>(
  database: Database,
  change: (transaction: Client) => Promise<unknown>,
  send: () => readonly Promise<T>[],
): Promise<T[]> {
  await liftLockLimit(database)
  const requests = await database.write.prisma.$transaction(async (transaction) => {
    await change(transaction)
    const sent = send()
    if (database.kind === 'server') await untilAllWait(database)
    else await setTimeout(50)
    return sent
  })
  return Promise.all(requests)
}

/**
 * Waits until sessions wait for a lock and no more of them begin to, or the first has waited for a second. Their number is unknown, because
 * likes share their statements.
 */
async function untilAllWait({ write: { prisma } }: Database): Promise<void> {
  let [before, still, begun] = [0, 0, Number.POSITIVE_INFINITY]
  for (let attempt = 0; attempt < 100 && still < 5 && performance.now() - begun < 1_000; attempt += 1) {
    const waiting: unknown[] = await prisma.$queryRaw`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (waiting.length > 0) begun = Math.min(begun, performance.now())
    still = waiting.length > 0 && waiting.length === before ? still + 1 : 0
    before = waiting.length
    await setTimeout(20)
  }
}
