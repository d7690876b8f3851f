import type { Database } from '../data/database.ts'
import { DatabaseError } from '../data/database-error.ts'
import { createLog } from '../log.ts'
import { commandSettings } from './settings.ts'

/**
 * Runs an action on the configured database and closes it. An embedded database is reached through its running server, or opened
 * directly. It must exist unless `create` is set: in the wrong folder, a command would otherwise create an empty one.
 */
export async function withDatabase<T>(action: (database: Database) => Promise<T>, { create = false } = {}): Promise<T> {
  const config = commandSettings()
  const { hasEmbeddedDatabase } = await import('../data/embedded/folder.ts')
  const { databaseOptions, openDatabase } = await import('../data/database.ts')
  const options = databaseOptions(config, 'command')
  if (!create && options.kind === 'embedded' && !hasEmbeddedDatabase(options.folder)) {
    throw new DatabaseError(`DATA_DIR: there is no database in ${options.folder}.`, {
      advice: 'Set DATA_DIR to the folder of the database, or create one with "rookery migrate".',
    })
  }
  const database = await openDatabase(options, createLog(config.logLevel))
  try {
    return await action(database)
  } finally {
    await database.close()
  }
}
