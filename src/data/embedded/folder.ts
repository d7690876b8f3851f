import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'

/** Where PostgreSQL's files are in `DATA_DIR`. */
export const clusterIn = (folder: string): string => join(folder, 'database')

/** Whether there is an embedded database in a folder, complete or not. */
export const hasEmbeddedDatabase = (folder: string): boolean => existsSync(clusterIn(folder))

/** Makes the folder where there is none. One that is empty or has a database gets closed to other users (0700). */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { mode, uid } = await stat(folder)
  if ((mode & 0o077) === 0 || uid !== process.getuid?.()) return
  if (hasEmbeddedDatabase(folder) || (await readdir(folder)).length === 0) await chmod(folder, 0o700)
}

/**
 * Makes the cluster with `make` where there is none, and answers whether it did. It gets its name when it is complete, so one whose
 * making was cut short is never taken for a database. Throws for one that lost files, and for none that may not be made.
 */
export async function ensureCluster(
  folder: string,
  mayMake: boolean,
  make: (into: string) => Promise<void>,
): Promise<boolean> {
  const cluster = clusterIn(folder)
  if (existsSync(cluster)) {
    if (existsSync(join(cluster, 'PG_VERSION'))) return false
    throw new Error(`${cluster} is not a complete database: it has no PG_VERSION`)
  }
  if (!mayMake) throw new Error(`${cluster} is gone`)
  const unfinished = join(folder, 'database.new')
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await make(unfinished)
  await rename(unfinished, cluster)
  return true
}
