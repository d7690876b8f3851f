import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import {
  bindMigrationAwareSqlAdapterFactory,
  type SqlDriverAdapter,
  type SqlMigrationAwareDriverAdapterFactory,
} from '@prisma/driver-adapter-utils'
import * as engineModule from '@prisma/schema-engine-wasm/schema_engine_bg'
import type { MigrationConnection } from './backend.ts'
import type { Migration } from './migration-files.ts'

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
  const script = createRequire(import.meta.url).resolve('#schema-engine')
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
 * database. `schema` is the Prisma schema whose preview features apply, if any. Free it after use.
 */
export async function openSchemaEngine(
  connection: MigrationConnection,
  schema?: string,
): Promise<engineModule.SchemaEngine> {
  if (!isStarted()) await start()
  const connect = () => Promise.resolve(adapterOf(connection))
  const factory: SqlMigrationAwareDriverAdapterFactory = {
    provider: connection.provider,
    adapterName: connection.adapterName,
    connect,
    connectToShadowDb: connect,
  }
  return engineModule.SchemaEngine.new(
    { datamodels: schema === undefined ? undefined : [['schema.prisma', schema]] },
    () => {},
    bindMigrationAwareSqlAdapterFactory(factory),
  )
}

function adapterOf(connection: MigrationConnection): SqlDriverAdapter {
  return {
    ...connection,
    startTransaction: () => Promise.reject(new Error('The connection is in a transaction already.')),
    dispose: () => Promise.resolve(),
  }
}
