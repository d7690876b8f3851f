import { createHash } from 'node:crypto'
import type pg from 'pg'
import { z } from 'zod'
import { MigrationError } from './database-error.ts'
import type { Migration } from './migration-files.ts'

/** Advice for a schema that contains something else. */
export const useAnotherSchema =
  'Use a separate database for Rookery, or name a schema in DATABASE_URL with ?schema=name.'

/** A row of `_prisma_migrations`: one attempt to apply a migration. */
type HistoryEntry = z.infer<typeof entry>

const entry = z.object({ name: z.string(), checksum: z.string(), finished: z.boolean() })
const existence = z.tuple([z.object({ exists: z.boolean() })])

/** Whether the database has a table for its history. */
export async function hasHistory(client: pg.ClientBase): Promise<boolean> {
  // Not to_regclass, which may not see yet that another process has just created the table.
  const { rows } = await client.query(
    `SELECT EXISTS (SELECT FROM pg_class WHERE relname = '_prisma_migrations' AND pg_table_is_visible(oid)) AS exists`,
  )
  return existence.parse(rows)[0].exists
}

/** The migrations that were started or applied, oldest first, without those marked as rolled back. */
export async function readHistory(client: pg.ClientBase): Promise<HistoryEntry[]> {
  if (!(await hasHistory(client))) return []
  const { rows } = await client.query(
    `SELECT migration_name AS name, checksum, finished_at IS NOT NULL AS finished FROM _prisma_migrations
     WHERE rolled_back_at IS NULL ORDER BY started_at, migration_name`,
  )
  return z.array(entry).parse(rows)
}

/** The checksum of a script, as Prisma records it. */
export function checksumOf(script: string): string {
  return createHash('sha256').update(script).digest('hex')
}

/** Whether a script has this checksum, with either kind of line ending. */
function hasChecksum(script: string, checksum: string): boolean {
  const lines = script.replaceAll('\r\n', '\n')
  return [script, lines, lines.replaceAll('\n', '\r\n')].some((text) => checksumOf(text) === checksum)
}

/**
 * The pending migrations, oldest first. Throws a `MigrationError` for a history that this version
 * cannot continue: that of another program, or one with a migration that is unknown, has failed, or had another script.
 */
export function pendingMigrations(
  migrations: readonly Migration[],
  history: readonly HistoryEntry[],
): readonly Migration[] {
  const known = new Map(migrations.map((migration) => [migration.name, migration]))
  const baseline = migrations[0]
  const isOther = ({ name, checksum, finished }: HistoryEntry) =>
    finished && name === baseline?.name && !hasChecksum(baseline.script, checksum)
  if (history.some(isOther)) {
    throw new MigrationError('The database was made before Rookery 0.1.0 was released.', {
      advice:
        'Export its accounts with the version that made it ("rookery user export"), and import them into a new database ' +
        '("rookery user import").',
    })
  }
  if (history.length > 0 && !history.some(({ name }) => known.has(name)))
    throw new MigrationError('The schema has the migrations of another program.', { advice: useAnotherSchema })
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
