import { setTimeout } from 'node:timers/promises'
import type { Client } from '../../src/data/client.ts'
import type { Database } from '../../src/data/database.ts'

/**
 * Sends requests while a transaction that has made a change is open, commits it when they all wait for it, and answers what came of
 * them. On PGlite they wait for its one connection. At most eight requests, so that the pool has a connection for each.
 */
export async function heldUp<T>(
  database: Database,
  change: (transaction: Client) => Promise<unknown>,
  send: () => readonly Promise<T>[],
): Promise<T[]> {
  const requests = await database.write.$transaction(async (transaction) => {
    await change(transaction)
    const sent = send()
    if (database.kind === 'server') await untilWaiting(database, sent.length)
    else await setTimeout(50)
    return sent
  })
  return Promise.all(requests)
}

/** Waits until so many sessions wait for a lock, for five seconds at most. */
async function untilWaiting({ read }: Database, count: number): Promise<void> {
  for (let attempt = 0; attempt < 250; attempt += 1) {
    const waiting: unknown[] = await read.$queryRaw`
      select pid from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`
    if (waiting.length >= count) return
    await setTimeout(20)
  }
}
