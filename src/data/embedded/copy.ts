import { constants } from 'node:fs'
import { cp, readdir, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { clusterIn } from './folder.ts'

/** The size of an embedded database in bytes. */
export async function embeddedSize(folder: string): Promise<number> {
  const entries = await readdir(clusterIn(folder), { recursive: true, withFileTypes: true })
  const files = entries.filter((entry) => entry.isFile())
  const sizes = await Promise.all(files.map(async ({ parentPath, name }) => (await stat(join(parentPath, name))).size))
  return sizes.reduce((sum, size) => sum + size, 0)
}

/** Copies an embedded database for inspection, because PostgreSQL writes to its files even when nothing changes. */
export async function copyEmbedded(folder: string, into: string): Promise<void> {
  await cp(clusterIn(folder), clusterIn(into), { recursive: true, mode: constants.COPYFILE_FICLONE })
}
