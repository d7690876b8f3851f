import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { chmod, mkdir, readdir, readFile, rename, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '../../package.ts'
import type { Migration } from '../migration-files.ts'

/** The directory of PostgreSQL's files in `DATA_DIR`. */
export const clusterIn = (folder: string): string => join(folder, 'database')

/** The version of PostgreSQL that is embedded. It opens only what it has written. */
export const embeddedVersion = '18'

/** The version of PostgreSQL that has written the embedded database of a folder, if there is one. */
export async function versionIn(folder: string): Promise<string | undefined> {
  const text = await readFile(join(clusterIn(folder), 'PG_VERSION'), 'utf8').catch(() => undefined)
  return text?.trim()
}

/** Whether a folder contains an embedded database, complete or not. */
export const hasEmbeddedDatabase = (folder: string): boolean => existsSync(clusterIn(folder))

/** Creates the folder if necessary. Denies other users access (0700) if it is empty or contains a database. */
export async function prepareFolder(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const { mode, uid } = await stat(folder)
  if ((mode & 0o077) === 0 || uid !== process.getuid?.()) return
  if (hasEmbeddedDatabase(folder) || (await readdir(folder)).length === 0) await chmod(folder, 0o700)
}

/**
 * Creates the cluster with `make` if there is none, and returns whether it did. The cluster gets its name when it is complete, so one whose
 * creation was interrupted is never taken for a database. Throws if files are missing.
 */
export async function ensureCluster(folder: string, make: (into: string) => Promise<void>): Promise<boolean> {
  const cluster = clusterIn(folder)
  if (existsSync(cluster)) {
    if (existsSync(join(cluster, 'PG_VERSION'))) return false
    throw new Error(`${cluster} is not a complete database: it has no PG_VERSION`)
  }
  const unfinished = join(folder, 'database.new')
  await rm(unfinished, { recursive: true, force: true })
  await mkdir(unfinished, { mode: 0o700 })
  await make(unfinished)
  await rename(unfinished, cluster)
  return true
}

/** The file of the prebuilt cluster for these migrations. Other migrations have another file. */
export function prebuiltFile(migrations: readonly Migration[]): string {
  const hash = createHash('sha256')
  for (const { name, script } of migrations) hash.update(`${name}\n${script}\n`)
  return join(packageFolder, `dist/cluster-${hash.digest('hex').slice(0, 16)}.tar`)
}

/** That file, if there was a build. It saves most of the time of the first start of an embedded database. */
export function prebuiltCluster(migrations: readonly Migration[]): string | undefined {
  const file = prebuiltFile(migrations)
  return existsSync(file) ? file : undefined
}
