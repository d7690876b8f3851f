import type pg from 'pg'
import { MigrationError } from '../../data/database-error.ts'
import { migrationsFolder, readMigrations } from '../../data/migration-files.ts'
import { pendingMigrations, readHistory } from '../../data/migration-history.ts'
import { type Check, checksOf } from './check.ts'

/** The migration state of a database. */
export type Migrated = { readonly check: Check; readonly pending: number; readonly isNew: boolean }

/** Checks that all migrations of this version were applied unchanged. */
export async function checkMigrations(client: pg.ClientBase): Promise<Migrated> {
  const { ok, warning, problem } = checksOf('Migrations')
  const migrations = await readMigrations(migrationsFolder)
  const history = await readHistory(client)
  const isNew = history.length === 0
  try {
    const pending = pendingMigrations(migrations, history)
    const names = pending.map(({ name }) => name).join(', ')
    if (pending.length === 0) return { check: ok(`All ${migrations.length} are applied.`), pending: 0, isNew }
    if (isNew) return { check: ok('None applied yet; the first start applies them.'), pending: pending.length, isNew }
    return {
      check: warning(`Pending: ${names}.`, 'The next start applies them; "rookery migrate" applies them now.'),
      pending: pending.length,
      isNew,
    }
  } catch (error) {
    if (!(error instanceof MigrationError)) throw error
    return { check: problem(error.message), pending: 0, isNew }
  }
}
