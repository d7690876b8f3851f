import type { Log } from '../log.ts'
import type { MigrationConnection, MigrationTarget } from './backend.ts'
import { MigrationError } from './database-error.ts'
import type { Migration } from './migration-files.ts'
import { pendingMigrations, readHistory } from './migration-history.ts'

/**
 * Brings a database up to the given migrations and returns the names of those that it applied. All of them are applied
 * in one transaction, so a failure or a killed process changes nothing. A database that has them all costs one plain
 * read. Throws a `MigrationError` for a history that does not fit (see `pendingMigrations`), for a database that holds
 * something else, and for a migration that fails.
 */
export async function migrate(target: MigrationTarget, migrations: readonly Migration[], log: Log): Promise<string[]> {
  if (pendingMigrations(migrations, await readHistory(target.queryable)).length === 0) return []
  return target.exclusively(async (connection) => {
    const pending = pendingMigrations(migrations, await readHistory(connection))
    if (pending.length === 0) return []
    const names = pending.map(({ name }) => name)
    log.info({ migrations: names }, 'migrating the database')
    await apply(connection, migrations)
    const left = pendingMigrations(migrations, await readHistory(connection))
    if (left.length > 0) throw new MigrationError(`These migrations were not applied: ${left.map(({ name }) => name)}.`)
    return names
  })
}

async function apply(connection: MigrationConnection, migrations: readonly Migration[]): Promise<void> {
  const { migrationList, openSchemaEngine } = await import('./schema-engine.ts')
  let failure: MigrationError | undefined
  // The engine wraps what went wrong in words of its own, after trying to record it: the first error is the true one.
  const executeScript = async (script: string): Promise<void> => {
    try {
      await connection.executeScript(script)
    } catch (cause) {
      const name = migrations.find((migration) => migration.script === script)?.name ?? 'table'
      failure ??= new MigrationError(`The migration ${name} failed, nothing was changed: ${messageOf(cause)}`, {
        cause,
      })
      throw cause
    }
  }
  const engine = await openSchemaEngine({ ...connection, executeScript })
  try {
    await engine.applyMigrations({
      migrationsList: migrationList(migrations),
      filters: { externalTables: [], externalEnums: [] },
    })
  } catch (cause) {
    throw failure ?? new MigrationError(`The database could not be migrated: ${messageOf(cause)}`, { cause })
  } finally {
    engine.free()
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}
