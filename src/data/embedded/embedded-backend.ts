import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '../../log.ts'
import type { Backend } from '../backend.ts'
import { servingLimits } from '../serving-settings.ts'
import { type EmbeddedOptions, openEmbedded } from './embedded-server.ts'

/**
 * The number of connections that share the session of the embedded database, so that statements queue while one runs. More
 * than 4 increased throughput by a tenth in the benchmark.
 */
const poolSize = 8

/** How long closing waits for running statements, in milliseconds. */
const drainTimeout = 2_000

/** Opens the embedded database of a folder, and creates it if necessary. Throws a `DatabaseError` if it is not usable. */
export async function openEmbeddedBackend(
  options: EmbeddedOptions,
  log: Log,
): Promise<{ readonly backend: Backend; readonly isNew: boolean }> {
  // Imported late: it loads the driver while the database starts.
  const load = () => import('../pooled-backend.ts')
  const onStarting = () => {
    void load()
    options.onStarting?.()
  }
  const { connection, isNew, close } = await openEmbedded({ ...options, onStarting }, log)
  try {
    const { openPooledBackend } = await load()
    const serves = options.opener === 'server'
    // WebAssembly cannot be interrupted, so a watchdog enforces the limits that a connection sends when it opens.
    const pool = { size: poolSize, serves, isSerial: true, limits: serves ? servingLimits : {} }
    const backend = await openPooledBackend(connection, pool, log)
    const closeBoth = async (): Promise<void> => {
      // Statements that still wait, for example for another client's transaction, end with the database.
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
