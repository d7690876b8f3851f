import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { PrismaPg } from '@prisma/adapter-pg'
import {
  bindMigrationAwareSqlAdapterFactory,
  type ColumnType,
  ColumnTypeEnum,
  type SqlDriverAdapter,
} from '@prisma/driver-adapter-utils'
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg'
import pg from 'pg'
import type { Migration } from '../src/engine/data/migration-files.ts'

// The types of Node.js 20 lack WebAssembly, and the DOM types would add all browser globals.
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>
}

/** Migrations in the input format of the engine. */
export function migrationList(migrations: readonly Migration[]): engineModule.MigrationList {
  return {
    baseDir: 'prisma/migrations',
    lockfile: { path: 'migration_lock.toml', content: 'provider = "postgresql"' },
    shadowDbInitScript: '',
    migrationDirectories: migrations.map(({ name, script }) => ({
      path: name,
      migrationFile: { path: 'migration.sql', content: { tag: 'ok', value: script } },
    })),
  }
}

// The package expects a bundler to import its WebAssembly, so it is passed explicitly.
async function start(): Promise<void> {
  const script = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const code = await readFile(script.replace(/\.js$/, '.wasm'))
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': imports() })
  // The package supports one instance for each process; a second one breaks the first.
  if (isStarted()) return
  engineModule.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
}

// The engine never clears its timers, which would keep a finished process alive.
function imports(): Record<string, unknown> {
  const startTimer = (run: () => void, milliseconds: number) => setTimeout(run, milliseconds).unref()
  const named = Object.entries(engineModule).map(([name, value]) => {
    return [name, name.startsWith('__wbg_setTimeout_') ? startTimer : value] as const
  })
  return Object.fromEntries(named)
}

function isStarted(): boolean {
  try {
    return engineModule.version() !== ''
  } catch {
    return false
  }
}

/**
 * Prisma's schema engine, as used by `prisma migrate`, on one connection, which also serves as its shadow
 * database; it compares schemas without any. `schema` is the Prisma schema whose preview features apply, if any. Free it after use.
 */
export async function openSchemaEngine(
  client: pg.ClientBase | undefined,
  schema?: string,
): Promise<engineModule.SchemaEngine> {
  if (!isStarted()) await start()
  const adapter = await adapterOf(client)
  const { provider, adapterName } = adapter
  const connect = () => Promise.resolve(adapter)
  return engineModule.SchemaEngine.new(
    { datamodels: schema === undefined ? undefined : [['schema.prisma', schema]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory({ provider, adapterName, connect, connectToShadowDb: connect }),
  )
}

/** PostgreSQL type ids (`pg_type`): "char", which only the catalogs use, and text. */
const character = 18
const text = 25

/** Prisma's adapter for one connection. The original takes only pools, divides scripts at every semicolon, and cannot read "char". */
async function adapterOf(client: pg.ClientBase | undefined): Promise<SqlDriverAdapter> {
  let characters: readonly boolean[] = []
  const query = async (config: pg.QueryArrayConfig) => {
    const result = (await client?.query(config)) ?? { fields: [], rows: [], rowCount: 0 }
    characters = result.fields.map(({ dataTypeID }) => dataTypeID === character)
    for (const field of result.fields) if (field.dataTypeID === character) field.dataTypeID = text
    return result
  }
  const adapter = await new PrismaPg(Object.assign(new pg.Pool(), { query })).connect()
  return {
    provider: adapter.provider,
    adapterName: adapter.adapterName,
    queryRaw: async (sql) => {
      const result = await adapter.queryRaw(sql)
      const type = (given: ColumnType, index: number) => (characters[index] ? ColumnTypeEnum.Character : given)
      return { ...result, columnTypes: result.columnTypes.map(type) }
    },
    executeRaw: (sql) => adapter.executeRaw(sql),
    executeScript: async (script) => {
      await client?.query(script)
    },
    startTransaction: () => adapter.startTransaction(),
    dispose: () => Promise.resolve(),
  }
}
