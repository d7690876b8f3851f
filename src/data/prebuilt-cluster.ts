import { createHash } from 'node:crypto'
import { readFile, writeFile } from 'node:fs/promises'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { createLog } from '../log.ts'
import { openPGliteBackend } from './embedded-backend.ts'
import { migrate } from './migrate.ts'
import type { Migration } from './migration-files.ts'

/** The file of the cluster that the build made for these migrations: another set of them has another file. */
export function prebuiltFile(migrations: readonly Migration[]): string {
  const hash = createHash('sha256')
  for (const { name, script } of migrations) hash.update(`${name}\n${script}\n`)
  return fileURLToPath(new URL(`cluster-${hash.digest('hex').slice(0, 16)}.tar`, import.meta.url))
}

/** A new cluster with all migrations applied, to start from; undefined where the build made none, as in the sources. */
export async function prebuiltCluster(migrations: readonly Migration[]): Promise<Blob | undefined> {
  try {
    return new Blob([await readFile(prebuiltFile(migrations))])
  } catch {
    return undefined
  }
}

/** Makes the cluster, which saves the first start of an embedded database most of its time. */
export async function writePrebuiltCluster(migrations: readonly Migration[]): Promise<void> {
  const pglite = await PGlite.create()
  await migrate(await openPGliteBackend(pglite), migrations, createLog('silent'))
  const dump = await pglite.dumpDataDir('gzip')
  await writeFile(prebuiltFile(migrations), new Uint8Array(await dump.arrayBuffer()))
  await pglite.close()
}
