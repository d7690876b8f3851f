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

// Node's own types have no WebAssembly before version 22, and those of browsers would bring all of a browser along.
declare const WebAssembly: {
  instantiate(
    code: Uint8Array,
    imports: Record<string, object>,
  ): Promise<{ instance: { exports: { __wbindgen_start(): void } } }>
}

/** Migrations in the form that the engine reads them. */
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

// The package means its WebAssembly to be imported by a bundler; Node has to be handed it.
async function start(): Promise<void> {
  const script = createRequire(import.meta.url).resolve('@prisma/schema-engine-wasm/schema_engine_bg')
  const code = await readFile(script.replace(/\.js$/, '.wasm'))
  const { instance } = await WebAssembly.instantiate(code, { './schema_engine_bg.js': imports() })
  // The package has one instance for the whole process, and what the first began breaks when it is given a second.
  if (isStarted()) return
  engineModule.__wbg_set_wasm(instance.exports)
  instance.exports.__wbindgen_start()
}

// The engine never cancels its time limits, and a process that has done its work would wait for the last one's end.
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
 * Prisma's own schema engine, the one behind `prisma migrate`, on one connection; what it takes for a shadow database
 * is that connection too. `schema` is the Prisma schema whose preview features hold, if any. Free it after use.
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
