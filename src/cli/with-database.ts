import type { Database } from '../engine/data/database.ts'
import { DatabaseError } from '../engine/data/database-error.ts'
import { createLog } from '../engine/log.ts'
import { settings } from './settings.ts'

/**
 * Works on the configured database and closes it. An embedded database is reached through its running server, or opened
 * directly. It must exist unless `create` is set: in the wrong folder, a command would otherwise create an empty one.
 */
export async function withDatabase<T>(work: (database: Database) => Promise<T>, { create = false } = {}): Promise<T> {
  const config = settings('warn')
  const { hasEmbeddedDatabase } = await import('../engine/data/embedded/folder.ts')
  const { databaseOptions } = await import('../server/config.ts')
  const { openDatabase } = await import('../engine/data/database.ts')
  const options = databaseOptions(config, 'command')
  if (!create && options.kind === 'embedded' && !hasEmbeddedDatabase(options.folder)) {
    throw new DatabaseError(`DATA_DIR: there is no database in ${options.folder}.`, {
      advice: 'Set DATA_DIR to the folder of the database, or create one with "rookery migrate".',
    })
  }
  const database = await openDatabase(options, createLog(config.logLevel))
  return work(database).finally(() => database.close())
}

/** Works on an account of the configured database. Throws `NOT_FOUND` if there is none with this username. */
export async function withAccount<T>(
  username: string,
  work: (database: Database, uuid: string) => Promise<T>,
): Promise<T> {
  const { accountId } = await import('../features/accounts/administration.ts')
  return withDatabase(async (database) => work(database, await accountId(database, username)))
}
