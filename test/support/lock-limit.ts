import type { TextRow } from '../../src/data/backend.ts'
import type { Database } from '../../src/data/database.ts'
import { reservedConnections } from '../../src/data/pooled-backend.ts'
import { poolSize } from './database.ts'

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
