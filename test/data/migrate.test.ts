import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import type { Backend } from '../../src/data/backend.ts'
import { MigrationError } from '../../src/data/database-error.ts'
import { openEmbeddedBackend } from '../../src/data/embedded/embedded-backend.ts'
import { migrate } from '../../src/data/migrate.ts'
import type { Migration } from '../../src/data/migration-files.ts'
import { openServerBackend } from '../../src/data/server-backend.ts'
import { createLog } from '../../src/log.ts'
import { createFolder, createServerDatabase, onPostgres } from '../support/database.ts'

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

let backend: Backend
let remove: () => Promise<void>
beforeAll(async () => {
  if (onPostgres) {
    const { url, drop } = await createServerDatabase()
    backend = await openServerBackend(url, { poolSize: 2, serves: false }, log)
    remove = drop
  } else {
    const empty = createFolder()
    const options = { folder: empty.folder, opener: 'server', prebuilt: undefined } as const
    backend = (await openEmbeddedBackend(options, log)).backend
    remove = empty.remove
  }
}, 120_000)
// The tests share a database and empty it, which is faster than one database for each.
afterEach(async () => {
  await query('DROP SCHEMA public CASCADE')
  await query('CREATE SCHEMA public')
})
afterAll(async () => {
  await backend.close()
  await remove()
})

async function query(sql: string): Promise<unknown[][]> {
  return (await backend.queryable.queryRaw({ sql, args: [], argTypes: [] })).rows
}

async function notesAreKept(): Promise<void> {
  expect(await query('SELECT text FROM notes')).toEqual([['first; of all']])
}

test('pending migrations are applied once and in order', async () => {
  expect(await migrate(backend, [notes], log)).toEqual([notes.name])
  expect(await migrate(backend, [notes, count], log)).toEqual([count.name])
  expect(await migrate(backend, [notes, count], log)).toEqual([])
  expect(await query('SELECT notes_count()')).toEqual([[1]])
})

test('a script with other line endings is the same migration', async () => {
  await migrate(backend, [notes], log)
  expect(await migrate(backend, [{ ...notes, script: notes.script.replaceAll('\n', '\r\n') }], log)).toEqual([])
})

test('a newer database is refused and not changed', async () => {
  await migrate(backend, [notes, count], log)
  await expect(migrate(backend, [notes], log)).rejects.toThrow(
    new MigrationError(
      'The database is newer than this version of Rookery: it has the migration 20300102000000_count, which is ' +
        'unknown here. Start the version that made it, or a later one.',
    ),
  )
  await notesAreKept()
})

test('a migration that was edited after it was applied is refused', async () => {
  await migrate(backend, [notes], log)
  await expect(migrate(backend, [{ ...notes, script: `${notes.script}-- more\n` }, count], log)).rejects.toThrow(
    /^The migration 20300101000000_notes was edited after it was applied to this database\./,
  )
  await notesAreKept()
})

test('an unfinished migration is refused until it is marked as rolled back', async () => {
  await migrate(backend, [notes], log)
  await query(`INSERT INTO _prisma_migrations (id, checksum, migration_name) VALUES ('x', 'x', '20300102000000_count')`)
  await expect(migrate(backend, [notes, count], log)).rejects.toThrow(
    /^The migration 20300102000000_count was begun on this database and did not finish\./,
  )
  await notesAreKept()
  await query(`UPDATE _prisma_migrations SET rolled_back_at = now() WHERE id = 'x'`)
  expect(await migrate(backend, [notes, count], log)).toEqual([count.name])
})

test('a failed migration rolls back all pending migrations', async () => {
  await migrate(backend, [notes], log)
  await expect(migrate(backend, [notes, count, broken], log)).rejects.toThrow(
    /^The migration 20300103000000_broken failed, nothing was changed: .*no_such_function/,
  )
  await notesAreKept()
  expect(await query(`SELECT migration_name FROM _prisma_migrations`)).toEqual([[notes.name]])
  expect(await migrate(backend, [notes, count], log)).toEqual([count.name])
})

test('a database with foreign tables is refused and not changed', async () => {
  await query('CREATE TABLE accounts (id int)')
  await expect(migrate(backend, [notes], log)).rejects.toThrow(/^The database could not be migrated: .*not empty/)
  expect(await query(`SELECT to_regclass('accounts') IS NOT NULL, to_regclass('notes') IS NULL`)).toEqual([
    [true, true],
  ])
})
