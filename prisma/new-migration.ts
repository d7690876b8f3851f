import { mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import type pg from 'pg'
import { readMigrations } from '../src/engine/data/migration-files.ts'
import { baselineOf, readFunctions } from './baseline.ts'
import { type CatalogObject, readCatalog } from './catalog.ts'
import { migrationList, openSchemaEngine } from './schema-engine.ts'

/**
 * The SQL that turns the result of the migrations in such a folder into what the folder describes; undefined if there is no difference.
 * Prisma compares tables, the catalogs the rest. Needs an empty database, and leaves something in it.
 */
async function difference(client: pg.ClientBase, folder: string): Promise<string | undefined> {
  const tables = await tableChanges(client, folder)
  const before = await readCatalog(client)
  await client.query('DROP SCHEMA public CASCADE; CREATE SCHEMA public')
  await client.query(await baselineOf(folder))
  const after = await readCatalog(client)

  const removed = before.filter(({ identity }) => after.every((now) => now.identity !== identity))
  const created = after.filter(({ definition }) => before.every((then) => then.definition !== definition))
  const scripts = await readFunctions(folder)
  const recreated = created.filter(({ kind, name }) => removed.some((old) => old.kind === kind && old.name === name))
  const { noted, granted } = privilegesOf(recreated)
  const hasFunctions = created.some(({ kind }) => kind === 'function')
  const changes = [
    ...noted,
    ...removed.toReversed().flatMap(({ removal }) => removal ?? []),
    ...tables,
    // Functions may use views, which are created after them.
    ...(hasFunctions ? ['SET check_function_bodies = off;'] : []),
    ...created.map(({ kind, name, creation }) => (kind === 'function' && scripts.get(name)) || creation),
    ...(hasFunctions ? ['RESET check_function_bodies;'] : []),
    ...granted,
  ]
  return changes.length > 0 ? changes.join('\n\n') : undefined
}

/** Prisma's part of the difference. The database then has what the migrations created. */
async function tableChanges(client: pg.ClientBase, folder: string): Promise<string[]> {
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
  return exitCode === 2 && stdout !== null ? [stdout.trim()] : []
}

/** Statements that note who may use functions and views, and that allow the same once these are created again. */
function privilegesOf(recreated: readonly CatalogObject[]) {
  const objects = recreated.flatMap(({ kind, name }) =>
    kind === 'function' ? [`FUNCTION ${name}`] : kind === 'view' ? [`TABLE ${name}`] : [],
  )
  if (objects.length === 0) return { noted: [], granted: [] }
  const noted = `-- Who may use what is created again keeps that.
SELECT set_config('migration.privileges', string_agg(format('GRANT %s ON %s TO %s', privilege_type, object,
  CASE grantee WHEN 0 THEN 'PUBLIC' ELSE grantee::regrole::text END), '; '), true)
FROM (
  SELECT 'FUNCTION ' || oid::regproc, coalesce(proacl, acldefault('f', proowner)) FROM pg_proc
  UNION ALL SELECT 'TABLE ' || oid::regclass, coalesce(relacl, acldefault('r', relowner)) FROM pg_class
) objects (object, privileges), aclexplode(privileges)
WHERE object IN (${objects.map((object) => `'${object}'`).join(', ')});`
  const revoked = objects.map((object) => `REVOKE ALL ON ${object} FROM PUBLIC;`)
  const granted = [...revoked, "DO $$ BEGIN EXECUTE current_setting('migration.privileges'); END $$;"].join('\n')
  return { noted: [noted], granted: [granted] }
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
