import { constants } from 'node:fs'
import { cp, mkdtemp, readdir, rm, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
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
 * Opens a copy of an embedded database, to look into it: PostgreSQL writes to its files even when nothing is changed. The copy is in
 * a temporary folder, which goes when it is closed.
 */
export async function openEmbeddedCopy(folder: string): Promise<Backend> {
  const temporary = await mkdtemp(join(tmpdir(), 'rookery-'))
  const remove = () => rm(temporary, { recursive: true, force: true })
  try {
    const dataDir = join(temporary, 'database')
    await cp(join(folder, 'database'), dataDir, { recursive: true, mode: constants.COPYFILE_FICLONE })
    const backend = await openPGliteBackend(await PGlite.create({ dataDir }))
    return { ...backend, close: () => backend.close().finally(remove) }
  } catch (error) {
    await remove()
    throw error
  }
}
