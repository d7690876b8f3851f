import { existsSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { dirname } from 'node:path'
import { DatabaseError } from '../../data/database-error.ts'
import { copyEmbedded, embeddedSize } from '../../data/embedded/copy.ts'
import { openEmbeddedBackend } from '../../data/embedded/embedded-backend.ts'
import { type EmbeddedUse, embeddedUse } from '../../data/embedded/embedded-server.ts'
import { hasEmbeddedDatabase } from '../../data/embedded/folder.ts'
import type { Log } from '../../log.ts'
import { type Check, checksOf, messageOf } from './check.ts'
import { checkMigrations } from './migrations.ts'
import { withTemporaryFolder } from './temporary-folder.ts'

/** The largest database that is copied for inspection, in bytes. */
const largestCopied = 2 ** 30

const { ok, warning, problem } = checksOf('Database')
const otherFolder = 'Set DATA_DIR to a folder that this user can write to.'

/** Checks an embedded database: its folder, who uses it, and its migrations, read from the running server or from a copy. */
export async function checkEmbedded(folder: string, log: Log): Promise<Check[]> {
  try {
    await requireWritable(folder)
  } catch (error) {
    return [problem(`DATA_DIR: cannot use ${folder}: ${messageOf(error)}.`, otherFolder)]
  }
  if (!hasEmbeddedDatabase(folder)) return [ok(`No database in ${folder} yet; the first start creates it.`)]
  const use = await embeddedUse(folder)
  if (use) return checkUsed(folder, use, log)
  const found = await lookInto(folder, log)
  if (found.every(({ status }) => status === 'ok')) return found
  // A server may have started in the meantime and changed the files while they were copied.
  const after = await embeddedUse(folder)
  return after ? checkUsed(folder, after, log) : found
}

/** Queries the server that uses the database. Any other process, such as a command, cannot be queried. */
async function checkUsed(folder: string, { holder, isServed }: EmbeddedUse, log: Log): Promise<Check[]> {
  if (!isServed)
    return [warning(`Embedded in ${folder}, in use by ${holder}, so it was not inspected.`, 'Try again later.')]
  try {
    const size = mebibytes(await embeddedSize(folder))
    return [ok(`Embedded in ${folder}, ${size} MiB, served by ${holder}.`), await checkMigrationsIn(folder, log)]
  } catch (error) {
    return [problem(`Embedded in ${folder}, served by ${holder}, which does not respond: ${reasonOf(error)}.`)]
  }
}

/** The underlying error, whose message does not name the folder of the copy. */
const reasonOf = (error: unknown) => messageOf(error instanceof DatabaseError ? error.cause : error)

const mebibytes = (bytes: number) => Math.ceil(bytes / 2 ** 20)

async function lookInto(folder: string, log: Log): Promise<Check[]> {
  let size: number
  try {
    size = await embeddedSize(folder)
  } catch (error) {
    return [problem(`DATA_DIR: cannot read ${folder}: ${messageOf(error)}.`, otherFolder)]
  }
  const embedded = ok(`Embedded in ${folder}, ${mebibytes(size)} MiB.`)
  const { warning: unseen } = checksOf('Migrations')
  if (size > largestCopied) return [embedded, unseen('Not inspected: the database is too large to copy.')]
  try {
    return await withTemporaryFolder(async (temporary) => {
      await copyEmbedded(folder, temporary)
      try {
        return [embedded, await checkMigrationsIn(temporary, log)]
      } catch (error) {
        const advice = 'Restore a backup, or set DATA_DIR to another folder.'
        return [problem(`DATA_DIR: cannot open ${folder}: ${reasonOf(error)}.`, advice)]
      }
    })
  } catch (error) {
    const advice = 'Set TMPDIR to a folder with enough space for a copy.'
    return [embedded, unseen(`Not inspected: cannot copy it to ${tmpdir()}: ${messageOf(error)}.`, advice)]
  }
}

async function checkMigrationsIn(folder: string, log: Log): Promise<Check> {
  const { backend } = await openEmbeddedBackend({ folder, opener: 'command', prebuilt: undefined }, log)
  try {
    return (await backend.onOwnConnection(checkMigrations)).check
  } finally {
    await backend.close()
  }
}

/** Throws unless the folder, or its nearest existing parent, is writable. */
async function requireWritable(folder: string): Promise<void> {
  let nearest = folder
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  if (!(await stat(nearest)).isDirectory()) throw new Error(`${nearest} is not a folder`)
  await access(nearest, constants.W_OK | constants.X_OK)
}
