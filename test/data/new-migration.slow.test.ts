import { cp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from 'vitest'
import { prismaFolder } from '../../prisma/baseline.ts'
import { difference, writeMigration } from '../../prisma/new-migration.ts'
import { migrate } from '../../src/engine/data/migrate.ts'
import { readMigrations } from '../../src/engine/data/migration-files.ts'
import { createLog } from '../../src/engine/log.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../support/database/empty-database.ts'
import { createFolder } from '../support/folder.ts'

let database: EmptyDatabase
let folder: string
let remove: () => Promise<void>
beforeAll(async () => {
  database = await createEmptyDatabase()
})
beforeEach(async () => {
  ;({ folder, remove } = createFolder())
  for (const part of ['schema.prisma', 'functions', 'migrations'])
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

test('the migrations produce exactly the Prisma schema and the functions', async () => {
  expect(
    await difference(database.client, prismaFolder),
    'a migration is missing: npm run migration -- <name>',
  ).toBeUndefined()
})

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

test('changed, new and deleted functions get a migration for a database with data, which keeps who may execute them', async () => {
  await replace('schema.prisma', 'enum ChangeKind {', 'enum Mood {\n  GLAD\n  @@map("mood")\n}\n\nenum ChangeKind {')
  await writeFile(
    join(folder, 'functions/of_this_test.sql'),
    'CREATE OR REPLACE FUNCTION of_this_test(mood mood) RETURNS bigint LANGUAGE sql AS $$ SELECT count(*) FROM live_publications $$;\n',
  )
  await replace('functions/raise_version.sql', 'OLD.version + 1', 'OLD.version + 5')
  await replace('functions/known_change.sql', 'change uuid', 'wanted uuid')
  await replace('functions/set_follow.sql', 'cause text', 'reason text, cause text')
  await rm(join(folder, 'functions/edit_publication.sql'))
  const script = await readFile((await write()) ?? '', 'utf8')
  const names = (statement: RegExp) => [...script.matchAll(statement)].map(([, name]) => name)
  expect(names(/CREATE OR REPLACE FUNCTION (\w+)/g)).toEqual([
    'known_change',
    'of_this_test',
    'raise_version',
    'set_follow',
  ])
  expect(names(/DROP FUNCTION (\w+)/g)).toEqual(['edit_publication', 'old_known_change', 'old_set_follow'])

  await emptyDatabase()
  await migrateWith(prismaFolder)
  await query(
    `INSERT INTO users (id, username, display_name, email) VALUES (gen_random_uuid(), 'ada', 'Ada', 'a@b.example')`,
  )
  for (const name of ['known_change', 'raise_version'])
    await query(`REVOKE EXECUTE ON FUNCTION ${name} FROM PUBLIC; GRANT EXECUTE ON FUNCTION ${name} TO pg_monitor`)
  const privileges = () =>
    query(`
      SELECT proname, array_agg(concat(grantee::regrole, privilege_type) ORDER BY grantee)
      FROM pg_proc, aclexplode(coalesce(proacl, acldefault('f', proowner)))
      WHERE proname IN ('known_change', 'raise_version', 'set_follow') GROUP BY proname ORDER BY proname`)
  const before = await privileges()
  expect(await migrateWith(folder)).toHaveLength(1)
  expect(await privileges()).toEqual(before)
  expect(await query('UPDATE users SET bio = username RETURNING version')).toEqual([['6']])

  await emptyDatabase()
  expect(await difference(database.client, folder)).toBeUndefined()
})

test.each([
  ['other', 'SELECT 1', 'Each file in prisma/functions must create the function of its name, and no other.'],
  [
    'once',
    "CREATE FUNCTION once() RETURNS int LANGUAGE sql AS 'SELECT 1'",
    'prisma/functions/once.sql: function "once" already exists with same argument types',
  ],
  ['broken', 'CREATE FUNCTION broken(', 'prisma/functions/broken.sql: syntax error at end of input'],
])('a file of functions is refused: %s', async (name, script, message) => {
  await writeFile(join(folder, `functions/${name}.sql`), script)
  await expect(write()).rejects.toThrow(message)
})
