import { setTimeout } from 'node:timers/promises'
import type { TextRow } from '../../../src/engine/data/backend.ts'
import type { Client } from '../../../src/engine/data/client.ts'
import type { Database } from '../../../src/engine/data/database.ts'
import { reservedConnections } from '../../../src/engine/data/pooled-backend.ts'
import type { TestApp } from '../app.ts'
import { poolSize } from '../database.ts'

const lift = "SELECT pg_backend_pid()::text AS pid, set_config('lock_timeout', '0', false)"

/**
 * Lets all connections of a database wait for locks until the time limit of statements, so that a test may hold a lock for longer than the
 * second after which a wait would fail. Connections that open later have that limit again.
 */
export async function liftLockLimit({ kind, write, runReserved }: Database, size = poolSize): Promise<void> {
  if (kind === 'embedded') return
  await onEach(size, () => write.run({ text: lift, values: [], lockKey: undefined }))
  await onEach(reservedConnections, () => runReserved(lift, []))
}

/** Runs something at once on each connection of a pool, again until none is left out. */
async function onEach(size: number, run: () => Promise<readonly TextRow[]>): Promise<void> {
  const done = new Set<unknown>()
  while (done.size < size) {
    const rows = (await Promise.all(Array.from({ length: size }, run))).flat()
    for (const { pid } of rows) done.add(pid)
  }
}

/** Runs `action` while no statement can read or change this table. */
export async function whileLocked({ database }: TestApp, table: string, action: () => Promise<unknown>): Promise<void> {
  await liftLockLimit(database)
  await database.write.prisma.$transaction(async (transaction) => {
    await transaction.$executeRawUnsafe(`lock table ${table} in access exclusive mode`)
    await action()
  })
}

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
