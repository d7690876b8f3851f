import type { Database } from '../data/database.ts'
import { DatabaseError } from '../data/database-error.ts'
import { createLog } from '../log.ts'
import { commandSettings } from './settings.ts'

/**
 * Does something with the database that the environment names, and closes it. An embedded database is reached through the server that
 * runs on it, or opened where none runs. Unless it may be made, it has to be there already: a command in the wrong folder would
 * otherwise make one and find it empty.
 */
export async function withDatabase<T>(
  action: (database: Database) => Promise<T>,
  { mayBeMade = false } = {},
): Promise<T> {
  const config = commandSettings()
  const { hasEmbeddedDatabase } = await import('../data/embedded/folder.ts')
  const { databaseOptions, openDatabase } = await import('../data/database.ts')
  const options = databaseOptions(config, 'command')
  if (!mayBeMade && options.kind === 'embedded' && !hasEmbeddedDatabase(options.folder)) {
    throw new DatabaseError(`DATA_DIR: there is no database in ${options.folder}.`, {
      advice: 'Set DATA_DIR to the folder that has it, or make one with "rookery migrate".',
    })
  }
  const database = await openDatabase(options, createLog(config.logLevel))
  try {
    return await action(database)
  } finally {
    await database.close()
  }
}
