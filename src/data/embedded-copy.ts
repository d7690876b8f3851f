import { constants } from 'node:fs'
import { cp, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { PGlite } from '@electric-sql/pglite'
import type { Backend } from './backend.ts'
import { openPGliteBackend } from './embedded-backend.ts'

/** How many bytes the files of an embedded database have. */
export async function embeddedSize(folder: string): Promise<number> {
  const entries = await readdir(join(folder, 'database'), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/**
 * Copies an embedded database into another folder and returns what opens the copy, to look into it: PostgreSQL writes to its files
 * even when nothing is changed.
 */
export async function copyEmbedded(folder: string, into: string): Promise<() => Promise<Backend>> {
  const dataDir = join(into, 'database')
  await cp(join(folder, 'database'), dataDir, { recursive: true, mode: constants.COPYFILE_FICLONE })
  return async () => openPGliteBackend(await PGlite.create({ dataDir }))
}
