import { existsSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { hasEmbeddedDatabase } from '../../data/database.ts'
import { embeddedSize, openEmbeddedCopy } from '../../data/embedded-copy.ts'
import { processWithLock } from '../../data/folder-lock.ts'
import { type Check, checksOf, messageOf } from './check.ts'
import { checkMigrations } from './migrations.ts'

/** The most that is copied to look into a database, in bytes. */
const largestCopied = 2 ** 30

/** The checks of an embedded database: its folder, who uses it, and, in a copy of it, the migrations. */
export async function checkEmbedded(folder: string): Promise<Check[]> {
  const { ok, warning, problem } = checksOf('Database')
  const other = 'Set DATA_DIR to a folder that this user may write to.'
  try {
    await requireWritable(folder)
  } catch (error) {
    return [problem(`DATA_DIR: cannot use ${folder}: ${messageOf(error)}.`, other)]
  }
  if (!hasEmbeddedDatabase(folder)) return [ok(`None in ${folder} yet: the first start makes it.`)]
  try {
    const holder = await processWithLock(folder)
    if (holder !== undefined) return [inUse(folder, holder)]
    const size = await embeddedSize(folder)
    const found = ok(`Embedded in ${folder}, ${Math.ceil(size / 2 ** 20)} MiB.`)
    if (size > largestCopied) return [found, checksOf('Migrations').warning('Not looked into: that takes a copy.')]
    return [found, await checkCopy(folder)]
  } catch (error) {
    // A server may have started meanwhile, and changed what was being copied.
    const holder = await processWithLock(folder).catch(() => undefined)
    if (holder !== undefined) return [inUse(folder, holder)]
    return [
      problem(
        `DATA_DIR: cannot open ${folder}: ${messageOf(error)}.`,
        'Restore a backup, or set DATA_DIR to another folder.',
      ),
    ]
  }

  function inUse(path: string, holder: number): Check {
    return warning(
      `Embedded in ${path}, in use by process ${holder}, so it was not looked into.`,
      'Stop that process before you start another one or use the other commands.',
    )
  }
}

async function checkCopy(folder: string): Promise<Check> {
  const copy = await openEmbeddedCopy(folder)
  try {
    return (await checkMigrations(copy)).check
  } finally {
    await copy.close()
  }
}

/** Throws where a folder, or the one that it would be made in, cannot be written to. */
async function requireWritable(folder: string): Promise<void> {
  let nearest = folder
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  if (!(await stat(nearest)).isDirectory()) throw new Error(`${nearest} is not a folder`)
  await access(nearest, constants.W_OK | constants.X_OK)
}
