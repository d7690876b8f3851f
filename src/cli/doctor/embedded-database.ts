import { existsSync } from 'node:fs'
import { access, constants, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { DatabaseError } from '../../data/database-error.ts'
import { openEmbeddedBackend } from '../../data/embedded/embedded-backend.ts'
import { hasEmbeddedDatabase } from '../../data/embedded/folder.ts'
import type { Log } from '../../log.ts'
import { type Check, checksOf, messageOf } from './check.ts'
import { checkMigrations } from './migrations.ts'

const { ok, warning, problem } = checksOf('Database')

/** Checks an embedded database: its folder, and its migrations, through the running server or by opening it. */
export async function checkEmbedded(folder: string, log: Log): Promise<Check[]> {
  try {
    await requireWritable(folder)
  } catch (error) {
    const advice = 'Set DATA_DIR to a folder that this user can write to.'
    return [problem(`DATA_DIR: cannot use ${folder}: ${messageOf(error)}.`, advice)]
  }
  if (!hasEmbeddedDatabase(folder)) return [ok(`No database in ${folder} yet; the first start creates it.`)]
  try {
    const { backend } = await openEmbeddedBackend({ folder, opener: 'command', prebuilt: undefined }, log)
    const { check } = await backend.onOwnConnection(checkMigrations).finally(() => backend.close())
    return [ok(`Embedded in ${folder}.`), check]
  } catch (error) {
    // Another command uses it.
    if (error instanceof DatabaseError && error.cause === undefined) return [warning(error.problem, 'Try again later.')]
    const reason = messageOf(error instanceof DatabaseError ? error.cause : error)
    const advice = 'Restore a backup, or set DATA_DIR to another folder.'
    return [problem(`DATA_DIR: cannot open ${folder}: ${reason}.`, advice)]
  }
}

/** Throws unless the folder, or its nearest existing parent, is writable. */
async function requireWritable(folder: string): Promise<void> {
  let nearest = folder
  while (!existsSync(nearest) && dirname(nearest) !== nearest) nearest = dirname(nearest)
  if (!(await stat(nearest)).isDirectory()) throw new Error(`${nearest} is not a folder`)
  await access(nearest, constants.W_OK | constants.X_OK)
}
