import { createHash } from 'node:crypto'
import { existsSync } from 'node:fs'
import { mkdtemp, rename, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { PGlite } from '@electric-sql/pglite'
import { create, extract } from 'tar'
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

/** Unpacks a new cluster with all migrations applied into a folder; answers false where the build made none, as in the sources. */
export async function unpackPrebuiltCluster(migrations: readonly Migration[], folder: string): Promise<boolean> {
  const file = prebuiltFile(migrations)
  if (!existsSync(file)) return false
  // A thousand small files: at once takes a third of the time, and nothing else is under way at a start.
  extract({ file, cwd: folder, strict: true, sync: true })
  return true
}

/** Makes the cluster, which saves the first start of an embedded database most of its time. */
export async function writePrebuiltCluster(migrations: readonly Migration[]): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'rookery-cluster-'))
  try {
    const pglite = await PGlite.create({ dataDir: folder })
    await migrate(await openPGliteBackend(pglite), migrations, createLog('silent'))
    await pglite.close()
    const file = prebuiltFile(migrations)
    await create({ file: `${file}.new`, cwd: folder, gzip: true, portable: true, strict: true }, ['.'])
    await rename(`${file}.new`, file)
  } finally {
    await rm(folder, { recursive: true })
  }
}
