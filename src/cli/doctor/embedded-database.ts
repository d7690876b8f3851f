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

/** The most that is copied to look into a database, in bytes. */
const largestCopied = 2 ** 30

const { ok, warning, problem } = checksOf('Database')
const otherFolder = 'Set DATA_DIR to a folder that this user may write to.'

/** The checks of an embedded database: its folder, who uses it, and the migrations, which a running server tells or a copy. */
export async function checkEmbedded(folder: string, log: Log): Promise<Check[]> {
  try {
    await requireWritable(folder)
  } catch (error) {
    return [problem(`DATA_DIR: cannot use ${folder}: ${messageOf(error)}.`, otherFolder)]
  }
  if (!hasEmbeddedDatabase(folder)) return [ok(`None in ${folder} yet: the first start makes it.`)]
  const use = await embeddedUse(folder)
  if (use) return checkUsed(folder, use, log)
  const found = await lookInto(folder, log)
  if (found.every(({ status }) => status === 'ok')) return found
  // A server may have started meanwhile, and changed what was being copied.
  const after = await embeddedUse(folder)
  return after ? checkUsed(folder, after, log) : found
}

/** Asks the server that has the database; another holder, say a command, cannot be asked. */
async function checkUsed(folder: string, { holder, isServed }: EmbeddedUse, log: Log): Promise<Check[]> {
  if (!isServed)
    return [warning(`Embedded in ${folder}, in use by ${holder}, so it was not looked into.`, 'Try again later.')]
  try {
    const size = mebibytes(await embeddedSize(folder))
    return [ok(`Embedded in ${folder}, ${size} MiB, served by ${holder}.`), await checkMigrationsIn(folder, log)]
  } catch (error) {
    return [problem(`Embedded in ${folder}, served by ${holder}, which does not answer: ${reasonOf(error)}.`)]
  }
}

/** Why it cannot be used, without the folder of the copy. */
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
  if (size > largestCopied) return [embedded, unseen('Not looked into: that takes a copy.')]
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
    const advice = 'Set TMPDIR to a folder with room for a copy.'
    return [embedded, unseen(`Not looked into: cannot copy it to ${tmpdir()}: ${messageOf(error)}.`, advice)]
  }
}

async function checkMigrationsIn(folder: string, log: Log): Promise<Check> {
  const { backend } = await openEmbeddedBackend({ folder, opener: 'command', prebuilt: undefined }, log)
  try {
    return (await checkMigrations(backend)).check
  } finally {
    await backend.close()
  }
}

/** Throws where a folder, or the one that it would be made in, cannot be written to. */
async function requireWritable(folder: string): Promise<void> {
  let nearest = folder
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  if (!(await stat(nearest)).isDirectory()) throw new Error(`${nearest} is not a folder`)
  await access(nearest, constants.W_OK | constants.X_OK)
}
