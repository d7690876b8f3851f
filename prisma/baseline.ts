import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { functionOf } from '../src/features/base/function-calls.ts'
import { relations } from '../src/features/base/relations.ts'
import { relationFunction } from './relation-sql.ts'
import { openSchemaEngine } from './schema-engine.ts'
import { readSql } from './sql-files.ts'

/** The folder of the Prisma schema, the functions, the rules and the migrations of this project. */
export const prismaFolder = fileURLToPath(new URL('.', import.meta.url))

/** A generated column is a default in the Prisma schema, where it could not use other columns. */
const generatedColumn = /DEFAULT (change_id\(number\))/

/**
 * The SQL that creates what such a folder describes: the enums and tables of the Prisma schema, the functions, which tables and
 * indexes use, and the rules.
 */
export async function baselineOf(folder: string): Promise<string> {
  const schema = await creationOf(await readFile(join(folder, 'schema.prisma'), 'utf8'))
  const [enums, tables] = ['-- CreateEnum', '-- CreateTable'].map((start) => schema.indexOf(start))
  const functions = await readFunctions(folder)
  return [
    schema.slice(enums, tables),
    'SET check_function_bodies = off;\n',
    ...functions.values(),
    'RESET check_function_bodies;\n',
    schema.slice(tables).replace(generatedColumn, 'GENERATED ALWAYS AS ($1) STORED'),
    await readSql(join(folder, 'rules.sql')),
  ].join('\n')
}

/**
 * The functions of such a folder and those of relations: their names and what creates them. Each file has to replace the function of its
 * name.
 */
export async function readFunctions(folder: string): Promise<ReadonlyMap<string, string>> {
  const names = (await readdir(join(folder, 'functions'))).sort().map((file) => file.replace(/\.sql$/, ''))
  const scripts = names.map(async (name) => {
    const script = await readSql(join(folder, 'functions', `${name}.sql`))
    const created = Array.from(script.matchAll(/^CREATE\b.*?(?=\(|$)/gm), ([start]) => start)
    const start = `CREATE OR REPLACE FUNCTION ${name}`
    if (created.join() !== start) throw new Error(`prisma/functions/${name}.sql has to contain one ${start}.`)
    return [name, script.trim()] as const
  })
  const ofRelations = relations.map((relation) => [functionOf(relation), relationFunction(relation)] as const)
  return new Map([...(await Promise.all(scripts)), ...ofRelations])
}

async function creationOf(content: string): Promise<string> {
  const engine = await openSchemaEngine(undefined, content)
  const { stdout } = await engine.diff({
    from: { tag: 'empty' },
    to: { tag: 'schemaDatamodel', files: [{ path: 'schema.prisma', content }] },
    script: true,
    exitCode: null,
    filters: { externalTables: [], externalEnums: [] },
  })
  engine.free()
  return stdout ?? ''
}

/** Writes the first migration, which is not stored in the repository until the first release. */
export async function writeBaseline(): Promise<void> {
  const directory = join(prismaFolder, 'migrations/20261127000000_baseline')
  await mkdir(directory, { recursive: true })
  await writeFile(join(directory, 'migration.sql'), await baselineOf(prismaFolder))
}
