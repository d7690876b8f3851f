import { createHash } from 'node:crypto'
import type { SqlQueryable } from '@prisma/driver-adapter-utils'
import { z } from 'zod'
import { MigrationError } from './database-error.ts'
import type { Migration } from './migration-files.ts'

/** A row of `_prisma_migrations`: one attempt to apply a migration. */
export type HistoryEntry = { readonly name: string; readonly checksum: string; readonly finished: boolean }

const existence = z.tuple([z.tuple([z.boolean()])])
const entries = z.array(
  z
    .tuple([z.string(), z.string(), z.boolean()])
    .transform(([name, checksum, finished]) => ({ name, checksum, finished })),
)

async function rows(database: SqlQueryable, sql: string): Promise<unknown[][]> {
  return (await database.queryRaw({ sql, args: [], argTypes: [] })).rows
}

/** The migrations that were started or applied, oldest first, without those marked as rolled back. */
export async function readHistory(database: SqlQueryable): Promise<HistoryEntry[]> {
  const [[exists]] = existence.parse(await rows(database, `SELECT to_regclass('_prisma_migrations') IS NOT NULL`))
  if (!exists) return []
  return entries.parse(
    await rows(
      database,
      `SELECT migration_name::text, checksum::text, finished_at IS NOT NULL FROM _prisma_migrations
       WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
    ),
  )
}

/** Whether a script has this SHA-256 hash, with either kind of line ending. */
function hasChecksum(script: string, checksum: string): boolean {
  const lines = script.replaceAll('\r\n', '\n')
  return [script, lines, lines.replaceAll('\n', '\r\n')].some(
    (text) => createHash('sha256').update(text).digest('hex') === checksum,
  )
}

/**
 * The pending migrations, oldest first. Throws a `MigrationError` for a history that this version
 * cannot continue: one with a migration that is unknown, has failed, or had another script.
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  history: readonly HistoryEntry[],
): readonly Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  for (const { name, checksum, finished } of history) {
    const migration = known.get(name)
    if (!finished) {
      throw new MigrationError(
        `The migration ${name} was begun on this database and did not finish. Put the database right, then mark the ` +
          `migration with "prisma migrate resolve".`,
      )
    }
    if (!migration) {
      throw new MigrationError(
        `The database is newer than this version of Rookery: it has the migration ${name}, which is unknown here. ` +
          `Start the version that made it, or a later one.`,
      )
    }
    if (!hasChecksum(migration.script, checksum)) {
      throw new MigrationError(
        `The migration ${name} was edited after it was applied to this database. Start a version of Rookery that ` +
          `has it as it was.`,
      )
    }
  }
  const applied = new Set(history.map(({ name }) => name))
  return migrations.filter(({ name }) => !applied.has(name))
}
