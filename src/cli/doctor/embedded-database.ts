import { existsSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import type { Backend } from '../../data/backend.ts'
import { hasEmbeddedDatabase } from '../../data/database.ts'
import { copyEmbedded, embeddedSize } from '../../data/embedded-copy.ts'
import { processWithLock } from '../../data/folder-lock.ts'
import { type Check, checksOf, messageOf } from './check.ts'
import { checkMigrations } from './migrations.ts'
import { withTemporaryFolder } from './temporary-folder.ts'

/** The most that is copied to look into a database, in bytes. */
const largestCopied = 2 ** 30

const { ok, warning, problem } = checksOf('Database')
const otherFolder = 'Set DATA_DIR to a folder that this user may write to.'

/** The checks of an embedded database: its folder, who uses it, and, in a copy of it, the migrations. */
export async function checkEmbedded(folder: string): Promise<Check[]> {
  try {
    await requireWritable(folder)
  } catch (error) {
    return [problem(`DATA_DIR: cannot use ${folder}: ${messageOf(error)}.`, otherFolder)]
  }
  if (!hasEmbeddedDatabase(folder)) return [ok(`None in ${folder} yet: the first start makes it.`)]
  const before = await checkLock(folder)
  if (before !== undefined) return [before]
  const found = await lookInto(folder)
  if (found.every(({ status }) => status === 'ok')) return found
  // A server may have started meanwhile, and changed what was being copied.
  const after = await checkLock(folder)
  return after === undefined ? found : [after]
}

/** What keeps the database from being looked into: that a process has it, or that this cannot be told. */
async function checkLock(folder: string): Promise<Check | undefined> {
  try {
    const holder = await processWithLock(folder)
    if (holder === undefined) return undefined
    return warning(
      `Embedded in ${folder}, in use by process ${holder}, so it was not looked into.`,
      'Stop that process before you start another one or use the other commands.',
    )
  } catch (error) {
    return problem(`DATA_DIR: cannot tell who uses ${folder}: ${messageOf(error)}.`)
  }
}

async function lookInto(folder: string): Promise<Check[]> {
  let size: number
  try {
    size = await embeddedSize(folder)
  } catch (error) {
    return [problem(`DATA_DIR: cannot read ${folder}: ${messageOf(error)}.`, otherFolder)]
  }
  const embedded = ok(`Embedded in ${folder}, ${Math.ceil(size / 2 ** 20)} MiB.`)
  const { warning: unseen } = checksOf('Migrations')
  if (size > largestCopied) return [embedded, unseen('Not looked into: that takes a copy.')]
  try {
    return await withTemporaryFolder(async (temporary) => {
      const open = await copyEmbedded(folder, temporary)
      try {
        return [embedded, await checkCopy(open)]
      } catch (error) {
        const advice = 'Restore a backup, or set DATA_DIR to another folder.'
        return [problem(`DATA_DIR: cannot open ${folder}: ${messageOf(error)}.`, advice)]
      }
    })
  } catch (error) {
    const advice = 'Set TMPDIR to a folder with room for a copy.'
    return [embedded, unseen(`Not looked into: cannot copy it to ${tmpdir()}: ${messageOf(error)}.`, advice)]
  }
}

async function checkCopy(open: () => Promise<Backend>): Promise<Check> {
  const copy = await open()
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
