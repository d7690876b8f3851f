import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { readMigrations } from '../src/engine/data/migration-files.ts'
import { functionChanges } from './function-changes.ts'
import { migrationList, openSchemaEngine } from './schema-engine.ts'

/**
 * The SQL that turns the result of the migrations in such a folder into its Prisma schema and its functions; undefined if there is no
 * difference. Needs an empty database, and leaves something in it. Prisma ignores views, checks and expression indexes.
 */
export async function difference(client: pg.ClientBase, folder: string): Promise<string | undefined> {
  const migrations = await readMigrations(join(folder, 'migrations'))
  const content = await readFile(join(folder, 'schema.prisma'), 'utf8')
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
  const changes = exitCode === 2 && stdout !== null ? [stdout.trim()] : []
  // Functions may have arguments of new types. A change of what a view uses fails here, and has to be completed by hand.
  for (const change of changes) await client.query(change).catch(() => undefined)
  changes.push(...(await functionChanges(client, join(folder, 'functions'))))
  return changes.length > 0 ? changes.join('\n\n') : undefined
}

/**
 * Writes the next migration and returns its file; undefined if it would be empty. Its name starts with the UTC time, so that it sorts last.
 * Needs an empty database.
 */
export async function writeMigration(
  client: pg.ClientBase,
  name: string,
  folder: string,
  now = new Date(),
): Promise<string | undefined> {
  const sql = await difference(client, folder)
  if (sql === undefined) return undefined
  const time = now.toISOString().replace(/\D/g, '').slice(0, 14)
  const directory = join(folder, 'migrations', `${time}_${name}`)
  const file = join(directory, 'migration.sql')
  await mkdir(directory)
  await writeFile(file, `${sql}\n`)
  return file
}
