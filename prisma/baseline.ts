import { mkdir, readdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { openSchemaEngine } from './schema-engine.ts'
import { readSql } from './sql-files.ts'

/** The folder of the Prisma schema, the functions, the rules and the migrations of this project. */
export const prismaFolder = fileURLToPath(new URL('.', import.meta.url))

/** A generated column is a default in the Prisma schema, where it could not use other columns. */
const generatedColumn = /DEFAULT (change_id\(number\))/

/**
 * The SQL that creates what such a folder describes: the enums and tables of the Prisma schema, the functions, which tables and indexes use,
 * and the rules.
 */
export async function baselineOf(folder: string): Promise<string> {
  const schema = await creationOf(await readFile(join(folder, 'schema.prisma'), 'utf8'))
  const [enums, tables] = ['-- CreateEnum', '-- CreateTable'].map((start) => schema.indexOf(start))
  const files = (await readdir(join(folder, 'functions'))).sort()
  const functions = await Promise.all(files.map((name) => readSql(join(folder, 'functions', name))))
  return [
    schema.slice(enums, tables),
    'SET check_function_bodies = off;\n',
    ...functions,
    'RESET check_function_bodies;\n',
    schema.slice(tables).replace(generatedColumn, 'GENERATED ALWAYS AS ($1) STORED'),
    await readSql(join(folder, 'rules.sql')),
  ].join('\n')
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
