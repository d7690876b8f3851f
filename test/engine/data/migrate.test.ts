import type pg from 'pg'
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { prismaFolder } from '../../../prisma/baseline.ts'
import { migrationList, openSchemaEngine } from '../../../prisma/schema-engine.ts'
import { MigrationError } from '../../../src/engine/data/database-error.ts'
import { migrate } from '../../../src/engine/data/migrate.ts'
import type { Migration } from '../../../src/engine/data/migration-files.ts'
import { checksumOf } from '../../../src/engine/data/migration-history.ts'
import { createLog } from '../../../src/engine/log.ts'
import { migratedAndNew } from '../../support/database/definitions.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../../support/database/empty-database.ts'
import { onPostgres } from '../../support/database.ts'

const log = createLog('silent')
const notes: Migration = {
  name: '20300101000000_notes',
  script: `CREATE TABLE notes (text text);\nINSERT INTO notes VALUES ('first; of all');\n`,
}
const count: Migration = {
  name: '20300102000000_count',
  script: 'CREATE FUNCTION notes_count() RETURNS int LANGUAGE sql AS $$ SELECT count(*)::int FROM notes; $$;\n',
}
const broken: Migration = {
  name: '20300103000000_broken',
  script: 'DELETE FROM notes;\nSELECT no_such_function();\n',
}

let database: EmptyDatabase
let client: pg.Client
beforeAll(async () => {
  database = await createEmptyDatabase()
  client = database.client
}, 120_000)
// The tests share a database and empty it, which is faster than one database for each.
afterEach(emptyDatabase)
afterAll(() => database.remove())

async function emptyDatabase(): Promise<void> {
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
}

async function query(text: string): Promise<unknown[][]> {
  return (await client.query<unknown[]>({ text, rowMode: 'array' })).rows
}

async function notesAreKept(): Promise<void> {
  expect(await query('SELECT text FROM notes')).toEqual([['first; of all']])
}

test('pending migrations are applied once and in order', async () => {
  expect(await migrate(client, [notes], log)).toEqual([notes.name])
  expect(await migrate(client, [notes, count], log)).toEqual([count.name])
  expect(await migrate(client, [notes, count], log)).toEqual([])
  expect(await query('SELECT notes_count()')).toEqual([[1]])
})

test('the migrations create what prisma/ describes', async () => {
  const { migrated, created } = await migratedAndNew(client, prismaFolder)
  expect(migrated, 'a migration is missing: npm run migration -- <name>').toEqual(created)
})

test('a script with other line endings is the same migration', async () => {
  await migrate(client, [notes], log)
  expect(await migrate(client, [{ ...notes, script: notes.script.replaceAll('\n', '\r\n') }], log)).toEqual([])
})

test('a newer database is refused and not changed', async () => {
  await migrate(client, [notes, count], log)
  await expect(migrate(client, [notes], log)).rejects.toThrow(
    new MigrationError(
      'The database is newer than this version of Rookery: it has the migration 20300102000000_count, which is ' +
        'unknown here. Start the version that made it, or a later one.',
    ),
  )
  await notesAreKept()
})

test('the migrations of another program are refused', async () => {
  await migrate(client, [notes], log)
  await expect(migrate(client, [count], log)).rejects.toThrow(
    /^The schema has the migrations of another program\. Use a separate database for Rookery, or name a schema /,
  )
  await notesAreKept()
})

test('a migration that was edited after it was applied is refused', async () => {
  await migrate(client, [notes, count], log)
  await expect(migrate(client, [notes, { ...count, script: `${count.script}-- more\n` }], log)).rejects.toThrow(
    /^The migration 20300102000000_count was edited after it was applied to this database\./,
  )
  await notesAreKept()
})

test('a database of before the first release is refused', async () => {
  await migrate(client, [notes], log)
  await expect(migrate(client, [{ ...notes, script: `${notes.script}-- more\n` }, count], log)).rejects.toThrow(
    /^The database was made before Rookery 0\.1\.0 was released\. Export its accounts /,
  )
  await notesAreKept()
})

test('an unfinished migration is refused until it is marked as rolled back', async () => {
  await migrate(client, [notes], log)
  await query(`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('x', 'x', '20300102000000_count')`)
  await expect(migrate(client, [notes, count], log)).rejects.toThrow(
    /^The migration 20300102000000_count was begun on this database and did not finish\./,
  )
  await notesAreKept()
  await query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = 'x'`)
  expect(await migrate(client, [notes, count], log)).toEqual([count.name])
})

test('a failed migration rolls back all pending migrations', async () => {
  await migrate(client, [notes], log)
  await expect(migrate(client, [notes, count, broken], log)).rejects.toThrow(
    /^The migration 20300103000000_broken failed, nothing was changed: .*no_such_function/,
  )
  await notesAreKept()
  expect(await query(`SELECT migration_name FROM _prisma_migrations`)).toEqual([[notes.name]])
  expect(await migrate(client, [notes, count], log)).toEqual([count.name])
})

test('a database with foreign tables is refused and not changed', async () => {
  await query('CREATE TABLE accounts (id int)')
  await expect(migrate(client, [notes], log)).rejects.toThrow('The schema public has tables of something else.')
  expect(await query(`SELECT to_regclass('accounts') IS NOT NULL, to_regclass('notes') IS NULL`)).toEqual([
    [true, true],
  ])
})

test('a view of something else, as extensions create them, is left alone', async () => {
  await query('CREATE VIEW statistics AS SELECT 1 AS calls')
  expect(await migrate(client, [notes], log)).toEqual([notes.name])
  expect(await query('SELECT calls FROM statistics')).toEqual([[1]])
})

test.runIf(onPostgres)('a migration that another process is applying is waited for', async () => {
  await migrate(client, [notes], log)
  const other = await database.connect()
  // Like `prisma migrate deploy`: the row is committed before its script.
  await other.query('SELECT pg_advisory_lock(72707369)')
  const row = `'other', '${checksumOf(count.script)}', '${count.name}'`
  await other.query(`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES (${row})`)
  const migrated = migrate(client, [notes, count], log)
  const waiting = `SELECT count(*)::int AS count FROM pg_stat_activity
    WHERE datname = current_database() AND wait_event = 'advisory'`
  await expect.poll(async () => (await other.query(waiting)).rows).toEqual([{ count: 1 }])
  await other.query(`UPDATE _prisma_migrations SET finished_at = now() WHERE id = 'other'`)
  await other.query('SELECT pg_advisory_unlock(72707369)')
  expect(await migrated).toEqual([])
  await other.end()
})

test.runIf(onPostgres)('a migration that waits for a table lets others read it, and is tried again', async () => {
  await migrate(client, [notes], log)
  const [holder, reader] = [await database.connect(), await database.connect()]
  await holder.query('BEGIN; SELECT text FROM notes')
  const addColumn = { name: count.name, script: 'ALTER TABLE notes ADD COLUMN author text' }
  const migrated = migrate(client, [notes, addColumn], log)
  const waiting = `SELECT count(*)::int AS count FROM pg_locks WHERE relation = 'notes'::regclass AND NOT granted`
  await expect.poll(async () => (await reader.query(waiting)).rows).toEqual([{ count: 1 }])
  await reader.query("SET statement_timeout = '1s'")
  expect((await reader.query('SELECT text FROM notes')).rowCount).toBe(1)
  await holder.query('COMMIT')
  expect(await migrated).toEqual([count.name])
  await Promise.all([holder.end(), reader.end()])
})

test.runIf(onPostgres)('a migration gives up on a table that stays in use', async () => {
  await migrate(client, [notes], log)
  const holder = await database.connect()
  await holder.query('BEGIN; SELECT text FROM notes')
  const dropTable = { name: count.name, script: 'DROP TABLE notes' }
  await expect(migrate(client, [notes, dropTable], log, 'public', 1)).rejects.toThrow(
    /The migration 20300102000000_count could not lock what it changes/,
  )
  await holder.query('COMMIT')
  await notesAreKept()
  await holder.end()
})

describe("Prisma's engine and the server", () => {
  let engine: Awaited<ReturnType<typeof openSchemaEngine>>
  beforeEach(async () => {
    engine = await openSchemaEngine(client)
  })
  afterEach(() => engine.free())

  const filters = { externalTables: [], externalEnums: [] }
  const deploy = async (migrations: readonly Migration[]) =>
    (await engine.applyMigrations({ migrationsList: migrationList(migrations), filters })).appliedMigrationNames

  test('have nothing left to apply after the other', async () => {
    expect(await migrate(client, [notes], log)).toEqual([notes.name])
    expect(await deploy([notes])).toEqual([])
    expect(await deploy([notes, count])).toEqual([count.name])
    expect(await migrate(client, [notes, count], log)).toEqual([])
    const migrationsList = migrationList([notes, count])
    expect(
      await engine.diagnoseMigrationHistory({ migrationsList, optInToShadowDatabase: false, filters }),
    ).toMatchObject({ hasMigrationsTable: true, history: null, editedMigrationNames: [], failedMigrationNames: [] })
  })

  test('record a migration in the same table and rows', async () => {
    const columns = `SELECT column_name, data_type, character_maximum_length, is_nullable, column_default
      FROM information_schema.columns WHERE table_name = '_prisma_migrations' ORDER BY ordinal_position`
    const indexes = `SELECT indexdef FROM pg_indexes WHERE tablename = '_prisma_migrations'`
    const rows = `SELECT id ~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$', checksum, migration_name, logs,
        rolled_back_at, applied_steps_count, started_at <= finished_at, finished_at <= clock_timestamp()
      FROM _prisma_migrations ORDER BY migration_name`
    const recorded = async () => [await query(columns), await query(indexes), await query(rows)]
    await deploy([notes, count])
    const byPrisma = await recorded()
    await client.query('DROP TABLE _prisma_migrations, notes; DROP FUNCTION notes_count')
    await migrate(client, [notes, count], log)
    expect(await recorded()).toEqual(byPrisma)
    expect(byPrisma[2]).toHaveLength(2)
  })
})
