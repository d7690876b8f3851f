import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { schemaFile, writeMigration } from '../../prisma/new-migration.ts'
import { migrationsFolder } from '../../src/data/migration-files.ts'
import { createEmptyDatabase, type EmptyDatabase } from '../support/empty-database.ts'

let folder: string
let database: EmptyDatabase
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rookery-migrations-'))
  database = await createEmptyDatabase()
}, 120_000)
afterEach(emptyDatabase)
afterAll(async () => {
  await rm(folder, { recursive: true })
  await database.remove()
})

async function emptyDatabase(): Promise<void> {
  await database.client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
}

test('a changed schema gets a new last migration that produces it', async () => {
  const migrations = join(folder, 'migrations')
  const schema = join(folder, 'schema.prisma')
  await cp(migrationsFolder, migrations, { recursive: true })
  const text = await readFile(schemaFile, 'utf8')
  await writeFile(schema, text.replace('model User {', 'model User {\n  location String @default("")'))

  const write = (name: string, now?: Date) => writeMigration(database.client, name, migrations, schema, now)

  const file = await write('user_location', new Date('2031-02-03T04:05:06.789Z'))

  expect(file).toBe(join(migrations, '20310203040506_user_location', 'migration.sql'))
  expect(await readFile(join(migrations, '20310203040506_user_location', 'migration.sql'), 'utf8')).toBe(
    `-- AlterTable\nALTER TABLE "users" ADD COLUMN     "location" TEXT NOT NULL DEFAULT '';\n`,
  )
  await emptyDatabase()
  expect(await write('again')).toBeUndefined()
})

test('the migrations produce exactly prisma/schema.prisma, so that it gets no migration', async () => {
  const before = await readdir(migrationsFolder)
  expect(await writeMigration(database.client, 'nothing', migrationsFolder, schemaFile)).toBeUndefined()
  expect(await readdir(migrationsFolder)).toEqual(before)
})
