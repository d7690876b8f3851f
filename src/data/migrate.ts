import type { Log } from '../log.ts'
import type { MigrationConnection, MigrationTarget } from './backend.ts'
import { MigrationError } from './database-error.ts'
import type { Migration } from './migration-files.ts'
import { pendingMigrations, readHistory } from './migration-history.ts'
import { missingCreate, serverFacts } from './server-facts.ts'

/**
 * Applies the pending migrations and returns their names. All of them run
 * in one transaction, so a failure or a killed process changes nothing. If none is pending, this takes one plain
 * read. Throws a `MigrationError` for a history that does not match (see `pendingMigrations`), for a database that contains
 * something else, and for a migration that fails.
 */
export async function migrate(target: MigrationTarget, migrations: readonly Migration[], log: Log): Promise<string[]> {
  if (pendingMigrations(migrations, await readHistory(target.queryable)).length === 0) return []
  return target.exclusively(async (connection) => {
    const pending = pendingMigrations(migrations, await readHistory(connection))
    if (pending.length === 0) return []
    const names = pending.map(({ name }) => name)
    await requireCreate(connection)
    log.info({ migrations: names }, 'migrating the database')
    await apply(connection, migrations)
    const left = pendingMigrations(migrations, await readHistory(connection))
    if (left.length > 0) throw new MigrationError(`These migrations were not applied: ${left.map(({ name }) => name)}.`)
    return names
  })
}

/** Refuses early, because the engine explains a missing right with a stack trace of its own. */
async function requireCreate(connection: MigrationConnection): Promise<void> {
  const facts = await serverFacts(connection)
  if (facts.schema === null || facts.mayCreate) return
  const { problem, advice } = missingCreate(facts)
  throw new MigrationError(`DATABASE_URL: ${problem}`, { advice })
}

async function apply(connection: MigrationConnection, migrations: readonly Migration[]): Promise<void> {
  const { migrationList, openSchemaEngine } = await import('./schema-engine.ts')
  let failure: MigrationError | undefined
  // The engine tries to record a failure and then wraps it. The first error is the cause.
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
