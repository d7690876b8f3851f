import { existsSync } from 'node:fs'
import { mkdir, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import { PrismaPGlite } from 'pglite-prisma-adapter'
import { type Backend, migrationConnection } from './backend.ts'
import { DatabaseError } from './database-error.ts'
import { lockFolder } from './folder-lock.ts'
import { servingSettings } from './serving-settings.ts'

/** Puts a cluster into a new folder; answers false where there is none. */
type Unpack = (folder: string) => Promise<boolean>

/** PGlite in a folder, which is made if there is none and locked until it is closed. */
export async function openEmbeddedBackend(folder: string, unpack: Unpack = async () => false): Promise<Backend> {
  const refuse = (cause: unknown): never => {
    if (cause instanceof DatabaseError) throw cause
    const reason = cause instanceof Error ? cause.message : String(cause)
    throw new DatabaseError(`DATA_DIR: cannot use ${folder}: ${reason}`, { cause })
  }
  await mkdir(folder, { recursive: true, mode: 0o700 }).catch(refuse)
  const unlock = await lockFolder(folder).catch(refuse)
  try {
    const pglite = await openCluster(folder, unpack)
    const backend = await openPGliteBackend(pglite)
    return { ...backend, close: () => backend.close().finally(unlock) }
  } catch (error) {
    await unlock()
    return refuse(error)
  }
}

/** PGlite in memory: empty, or with what `dumpDataDir` wrote of another. */
export async function openMemoryBackend(dump?: Blob): Promise<Backend> {
  return openPGliteBackend(await PGlite.create(dump === undefined ? {} : { loadDataDir: dump }))
}

/** An open PGlite that nothing else uses; it is closed with the backend. */
export async function openPGliteBackend(pglite: PGlite): Promise<Backend> {
  await pglite.exec(servingSettings)
  const adapter = new PrismaPGlite(pglite)
  const queryable = await adapter.connect()
  return {
    adapter,
    queryable,
    exclusively: async (work) => {
      // There is one connection and nobody else on it yet. The adapter runs scripts without waiting for their end.
      await pglite.exec('BEGIN')
      try {
        const result = await work(migrationConnection(queryable, (script) => pglite.exec(script)))
        await pglite.exec('COMMIT')
        return result
      } catch (error) {
        await pglite.exec('ROLLBACK')
        throw error
      }
    },
    close: () => pglite.close(),
  }
}

// A new cluster gets its name when it is whole, so one whose making was cut short is never taken for a database.
async function openCluster(folder: string, unpack: Unpack): Promise<PGlite> {
  const cluster = join(folder, 'database')
  if (!existsSync(cluster)) {
    const unfinished = join(folder, 'database.new')
    await rm(unfinished, { recursive: true, force: true })
    await mkdir(unfinished, { mode: 0o700 })
    if (!(await unpack(unfinished))) await (await PGlite.create({ dataDir: unfinished })).close()
    await rename(unfinished, cluster)
  }
  return PGlite.create({ dataDir: cluster })
}
