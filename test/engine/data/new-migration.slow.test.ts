import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { prismaFolder } from '../../../prisma/baseline.ts'
import { writeMigration } from '../../../prisma/new-migration.ts'
import { migrate } from '../../../src/engine/data/migrate.ts'
import { readMigrations } from '../../../src/engine/data/migration-files.ts'
import { createLog } from '../../../src/engine/log.ts'
import { migratedAndNew } from '../../support/database/definitions.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../../support/database/empty-database.ts'
import { createFolder } from '../../support/folder.ts'

let database: EmptyDatabase
let folder: string
let remove: () => Promise<void>
beforeAll(async () => {
  database = await createEmptyDatabase()
})
beforeEach(async () => {
  ;({ folder, remove } = createFolder())
  for (const part of ['schema.prisma', 'functions', 'rules.sql', 'migrations'])
    await cp(join(prismaFolder, part), join(folder, part), { recursive: true })
})
afterEach(async () => {
  await emptyDatabase()
  await remove()
})
afterAll(() => database.remove())

async function emptyDatabase(): Promise<void> {
  await database.client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
}

async function query(text: string): Promise<unknown[][]> {
  return (await database.client.query<unknown[]>({ text, rowMode: 'array' })).rows
}

async function replace(file: string, part: string, by: string): Promise<void> {
  const text = await readFile(join(folder, file), 'utf8')
  expect(text).toContain(part)
  await writeFile(join(folder, file), text.replaceAll(part, by))
}

const migrateWith = async (parts: string) =>
  migrate(database.client, await readMigrations(join(parts, 'migrations')), createLog('silent'))
const write = (now?: Date) => writeMigration(database.client, 'of_this_test', folder, now)

test('without a change, no migration is written', async () => {
  const before = await readdir(join(folder, 'migrations'))
  expect(await write()).toBeUndefined()
  expect(await readdir(join(folder, 'migrations'))).toEqual(before)
})

test('a changed schema gets a new last migration that produces it', async () => {
  await replace('schema.prisma', 'model User {', 'model User {\n  ofThisTest String @default("") @map("of_this_test")')
  const file = await write(new Date('2031-02-03T04:05:06.789Z'))
  expect(file).toBe(join(folder, 'migrations/20310203040506_of_this_test/migration.sql'))
  expect(await readFile(file ?? '', 'utf8')).toBe(
    `-- AlterTable\nALTER TABLE "users" ADD COLUMN     "of_this_test" TEXT NOT NULL DEFAULT '';\n`,
  )
})

test('changed, new and deleted functions get a migration for a database with data', async () => {
  await replace('schema.prisma', 'enum ChangeKind {', 'enum Mood {\n  GLAD\n  @@map("mood")\n}\n\nenum ChangeKind {')
  await writeFile(
    join(folder, 'functions/of_this_test.sql'),
    'CREATE OR REPLACE FUNCTION of_this_test(mood mood) RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM live_publications $$;\n',
  )
  await replace('functions/raise_version.sql', 'OLD.version + 1', 'OLD.version + 5')
  await replace('functions/known_change.sql', 'change uuid', 'wanted uuid')
  await replace('functions/lock_users.sql', 'cause text', 'reason text, cause text')
  await rm(join(folder, 'functions/edit_publication.sql'))
  const script = await readFile((await write()) ?? '', 'utf8')
  const names = (statement: RegExp) => [...script.matchAll(statement)].map(([, name]) => name).sort()
  expect(names(/^CREATE (.*?)[( ]/gm)).toEqual(['OR', 'OR', 'OR', 'OR', 'TYPE'])
  expect(names(/^CREATE OR REPLACE FUNCTION (\w+)/gm)).toEqual([
    'known_change',
    'lock_users',
    'of_this_test',
    'raise_version',
  ])
  expect(names(/^DROP (.*)\(/gm)).toEqual(['FUNCTION edit_publication', 'FUNCTION known_change', 'FUNCTION lock_users'])
  await emptyDatabase()
  const { migrated, created } = await migratedAndNew(database.client, folder)
  expect(migrated).toEqual(created)
  await emptyDatabase()
  expect(await write()).toBeUndefined()
})

test('changed, new and deleted rules get a migration', async () => {
  await replace(
    'schema.prisma',
    'model Publication {',
    `model Publication {\n  mood String @default("")\n  moods String[]`,
  )
  await replace('functions/search_terms.sql', 'RETURN tokens', 'RETURN tokens || tokens')
  const changes: [string, string][] = [
    ['ALTER TABLE publications\n', `ALTER TABLE publications ALTER COLUMN mood TYPE TEXT COLLATE "C",\n`],
    ['char_length(bio) <=', 'char_length(bio) < 1 +'],
    [
      '  ADD CONSTRAINT publications_counters',
      `  ALTER COLUMN moods SET NOT NULL, ADD CONSTRAINT publications_mood CHECK (mood <> 'Bad'),\n  $&`,
    ],
    ['  ADD CONSTRAINT publications_not_own_parent CHECK (parent_id <> id),\n', ''],
    ['(lower(username) COLLATE "C")', '(lower(username) COLLATE "C") DESC'],
    ['CREATE TRIGGER note_edit BEFORE UPDATE ON', 'CREATE TRIGGER note_edit BEFORE UPDATE OF bio ON'],
    ['CREATE TRIGGER raise_version BEFORE UPDATE ON applications FOR EACH ROW EXECUTE FUNCTION raise_version();', ''],
    [
      'CREATE TRIGGER set_root',
      'CREATE TRIGGER mood BEFORE UPDATE ON publications FOR EACH ROW EXECUTE FUNCTION raise_version();\n$&',
    ],
    ['SELECT id, parent_id, author_id', 'SELECT id, mood, parent_id, author_id'],
    ['ALTER TABLE hashtags', 'CREATE VIEW moods AS SELECT id, mood FROM live_publications;\n$&'],
    ['CREATE VIEW notifications', 'CREATE VIEW all_notifications'],
  ]
  for (const [part, by] of changes) await replace('rules.sql', part, by.replace('$&', part))
  const script = await readFile((await write()) ?? '', 'utf8')
  const statements = script.matchAll(/^(?:CREATE|DROP|ALTER)(?: TABLE "?\w+"?)? [A-Z ]+\w+/gm)
  expect(Array.from(statements, ([statement]) => statement)).toEqual([
    'DROP TRIGGER raise_version',
    'DROP TRIGGER note_edit',
    'ALTER TABLE publications DROP CONSTRAINT publications_not_own_parent',
    'ALTER TABLE users DROP CONSTRAINT users_bio_length',
    'DROP INDEX publications_search',
    'DROP INDEX users_search_username',
    'DROP VIEW notifications',
    'DROP VIEW timeline_items',
    'DROP VIEW live_publications',
    'DROP VIEW refused_applications',
    'ALTER TABLE "publications" ADD COLUMN',
    'ALTER TABLE publications ALTER COLUMN mood',
    'ALTER TABLE publications ALTER COLUMN moods',
    'CREATE OR REPLACE FUNCTION search_terms',
    'CREATE VIEW refused_applications',
    'CREATE VIEW live_publications',
    'CREATE VIEW timeline_items',
    'CREATE VIEW moods',
    'CREATE VIEW all_notifications',
    'CREATE INDEX users_search_username',
    'CREATE INDEX publications_search',
    'ALTER TABLE users ADD CONSTRAINT users_bio_length',
    'ALTER TABLE publications ADD CONSTRAINT publications_mood',
    'CREATE TRIGGER note_edit',
    'CREATE TRIGGER mood',
  ])
  await emptyDatabase()
  const { migrated, created } = await migratedAndNew(database.client, folder)
  expect(migrated).toEqual(created)
  await emptyDatabase()
  expect(await write()).toBeUndefined()
})

test('what is created again keeps who may use it', async () => {
  await replace('functions/known_change.sql', 'change uuid', 'wanted uuid')
  await replace('functions/raise_version.sql', 'OLD.version + 1', 'OLD.version + 5')
  await replace('rules.sql', 'SELECT id, parent_id, author_id', 'SELECT parent_id, id, author_id')
  await write()
  await emptyDatabase()
  await migrateWith(prismaFolder)
  for (const name of ['known_change', 'raise_version'])
    await query(`REVOKE EXECUTE ON FUNCTION ${name} FROM PUBLIC; GRANT EXECUTE ON FUNCTION ${name} TO pg_monitor`)
  await query(`GRANT SELECT ON live_publications TO pg_monitor, PUBLIC`)
  const privileges = () =>
    query(`
      SELECT object, array_agg(concat(grantee::regrole, privilege_type) ORDER BY grantee, privilege_type)
      FROM (
        SELECT proname, coalesce(proacl, acldefault('f', proowner)) FROM pg_proc WHERE pronamespace = 'public'::regnamespace
        UNION ALL SELECT relname, coalesce(relacl, acldefault('r', relowner)) FROM pg_class
        WHERE relnamespace = 'public'::regnamespace AND relkind = 'v'
      ) objects (object, privileges), aclexplode(privileges) GROUP BY object ORDER BY object`)
  const before = await privileges()
  expect(await migrateWith(folder)).toHaveLength(1)
  expect(await privileges()).toEqual(before)
})

test.each([
  ['one that creates no function', 'SELECT 1'],
  ['one that does not replace it', "CREATE FUNCTION of_this_test() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
  ['one of another name', "CREATE OR REPLACE FUNCTION other() RETURNS int LANGUAGE sql AS 'SELECT 1'"],
])('a file of functions is refused: %s', async (_kind, script) => {
  await writeFile(join(folder, 'functions/of_this_test.sql'), script)
  await expect(write()).rejects.toThrow(
    'prisma/functions/of_this_test.sql has to contain one CREATE OR REPLACE FUNCTION of_this_test.',
  )
})
