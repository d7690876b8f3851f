import type { Log } from '../../log.ts'
import type { Backend } from '../backend.ts'
import { type EmbeddedOptions, openEmbedded } from './embedded-server.ts'

/** The number of connections that share the session of the embedded database. 8 instead of 4 gave a tenth more throughput. */
const poolSize = 8

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
  const { openPooledBackend } = await load()
  const pool = { size: poolSize, serves: options.opener === 'server', isSerial: true, schema: 'public' }
  const backend = openPooledBackend([connection], pool, log)
  return { isNew, backend: { ...backend, close: () => backend.close().finally(close) } }
}
