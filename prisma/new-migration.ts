import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type pg from 'pg'
import { readMigrations } from '../src/data/migration-files.ts'
import { migrationList, openSchemaEngine } from './schema-engine.ts'

/** The Prisma schema of this project. */
export const schemaFile = fileURLToPath(new URL('schema.prisma', import.meta.url))

/**
 * The SQL that turns the result of the migrations into a Prisma schema; undefined if there is no difference. Applies the migrations
 * to an empty database. Prisma ignores views, functions, checks and expression indexes.
 */
export async function schemaDifference(
  client: pg.ClientBase,
  folder: string,
  schema: string,
): Promise<string | undefined> {
  const migrations = await readMigrations(folder)
  const content = await readFile(schema, 'utf8')
  const engine = await openSchemaEngine(client, content)
  const { exitCode, stdout } = await engine.diff({
    from: { tag: 'migrations', ...migrationList(migrations) },
    to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] },
    script: true,
    exitCode: true,
    filters: { externalTables: [], externalEnums: [] },
  })
  engine.free()
  // As in the Prisma CLI, 2 means that there is a difference.
  return exitCode === 2 && stdout !== null ? stdout : undefined
}

/**
 * Writes the next migration and returns its file. Its name starts with the UTC time, so that it sorts last. Without a difference between
 * the migrations and the Prisma schema, it is empty. Needs an empty database.
 */
export async function writeMigration(
  client: pg.ClientBase,
  name: string,
  folder: string,
  schema: string,
  now = new Date(),
): Promise<string> {
  const sql = await schemaDifference(client, folder, schema)
  const time = now.toISOString().replace(/\D/g, '').slice(0, 14)
  const directory = join(folder, `${time}_${name}`)
  const file = join(directory, 'migration.sql')
  await mkdir(directory)
  await writeFile(file, `${sql?.trim() ?? '-- Views, functions and checks.'}\n`)
  return file
}
