import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import type { Backend } from '../backend.ts'
import { servingLimits } from '../serving-settings.ts'
import { type EmbeddedOptions, openEmbedded } from './embedded-server.ts'

/**
 * How many connections share the one session of the embedded database: while it runs a statement, the next ones are on their way. More
 * than 4 answered a tenth more requests in the benchmark.
 */
const poolSize = 8

/** How many one account has: one among others, because statements run one after the other. */
const shares = { alone: 4, each: 1 } as const

/** How long closing waits for statements in progress, in milliseconds. */
const drainTimeout = 2_000

/** The embedded database of a folder, which is made if there is none. Throws a `DatabaseError` where it cannot be used. */
export async function openEmbeddedBackend(
  options: EmbeddedOptions,
  log: Log,
): Promise<{ readonly backend: Backend; readonly isNew: boolean }> {
  // It brings the driver along, so it is loaded while the database starts.
  const load = () => import('../pooled-backend.ts')
  const onStarting = () => {
    void load()
    options.onStarting?.()
  }
  const { connection, isNew, close } = await openEmbedded({ ...options, onStarting }, log)
  try {
    const { openPooledBackend } = await load()
    const serves = options.opener === 'server'
    // WebAssembly cannot be interrupted. The watchdog of the thread reads the limits when a connection opens.
    const pool = { size: poolSize, shares, serves, canCancel: false, limits: serves ? servingLimits : {} }
    const backend = await openPooledBackend(connection, pool, log)
    const closeBoth = async (): Promise<void> => {
      // What still runs, say behind somebody else's transaction, ends with the database.
      const drained = backend.close()
      await Promise.race([drained, sleep(drainTimeout, undefined, { ref: false })])
      await close()
      await drained
    }
    return { isNew, backend: { ...backend, close: closeBoth } }
  } catch (error) {
    await close()
    throw error
  }
}
