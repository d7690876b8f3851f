import { cp, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { migrationsFolder } from '../../src/data/migration-files.ts'
import { schemaDifference, schemaFile, writeMigration } from '../../src/data/new-migration.ts'
import { onPostgres } from '../support/database.ts'

let folder: string
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'rookery-migrations-'))
})
afterAll(() => rm(folder, { recursive: true }))

test.skipIf(onPostgres)('the migrations produce exactly prisma/schema.prisma', async () => {
  expect(await schemaDifference(migrationsFolder, schemaFile)).toBeUndefined()
})

test.skipIf(onPostgres)('a changed schema gets a new last migration that produces it', async () => {
  const migrations = join(folder, 'migrations')
  const schema = join(folder, 'schema.prisma')
  await cp(migrationsFolder, migrations, { recursive: true })
  const text = await readFile(schemaFile, 'utf8')
  await writeFile(schema, text.replace('model User {', 'model User {\n  location String @default("")'))

  const file = await writeMigration('user_location', migrations, schema, new Date('2031-02-03T04:05:06.789Z'))

  expect(file).toBe(join(migrations, '20310203040506_user_location', 'migration.sql'))
  expect(await readFile(join(migrations, '20310203040506_user_location', 'migration.sql'), 'utf8')).toBe(
    `-- AlterTable\nALTER TABLE "users" ADD COLUMN     "location" TEXT NOT NULL DEFAULT '';\n`,
  )
  const before = await readdir(migrations)
  expect(await writeMigration('again', migrations, schema)).toBeUndefined()
  expect(await readdir(migrations)).toEqual(before)
})
