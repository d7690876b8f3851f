import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Backend, RunStatement } from './backend.ts'
import { PrismaClient } from './generated/prisma/client.ts'
import { migrate } from './migrate.ts'
import { type Migration, migrationsFolder, readMigrations } from './migration-files.ts'

/**
 * Where the database is: a PostgreSQL server, a folder of the embedded PGlite, or, for tests, PGlite in memory, which
 * starts from a dump of a data directory if there is one.
 */
export type DatabaseOptions =
  | { readonly kind: 'server'; readonly url: string; readonly poolSize: number }
  | { readonly kind: 'embedded'; readonly folder: string }
  | { readonly kind: 'memory'; readonly dump?: Blob }

/**
 * An open, migrated database with two doors: `read` for what may be a moment old, `write` for everything else. An
 * embedded one has a single connection, so inside an interactive transaction only the client of that transaction may
 * be used, and whatever else asks waits for its end.
 */
export type Database = {
  readonly read: PrismaClient
  readonly write: PrismaClient
  /** Runs one statement that stands for itself: a composed read, or a write that is a function of the database. */
  readonly run: RunStatement
  readonly kind: 'embedded' | 'server'
  /** The names of the migrations that opening it applied; of an embedded one that it made, all. */
  readonly applied: readonly string[]
  /** Resolves when the database answers. */
  ping(): Promise<void>
  /** Waits for what is under way and lets go of the connections, the folder and its lock. A second call is harmless. */
  close(): Promise<void>
}

/** The database that the settings ask for. */
export function databaseOptions({ databaseUrl, databasePool, dataDir }: Config): DatabaseOptions {
  if (databaseUrl === undefined) return { kind: 'embedded', folder: resolve(dataDir) }
  return { kind: 'server', url: databaseUrl, poolSize: databasePool }
}

/** Whether there is an embedded database in a folder. */
export function hasEmbeddedDatabase(folder: string): boolean {
  return existsSync(join(folder, 'database'))
}

/**
 * Opens a database and brings it up to the migrations of this version. Throws a `DatabaseError` when it is out of
 * reach (within about 5 seconds) or in use, a `MigrationError` when its history does not fit.
 */
export async function openDatabase(options: DatabaseOptions, log: Log): Promise<Database> {
  const migrations = await readMigrations(migrationsFolder)
  const isNew = options.kind === 'embedded' && !hasEmbeddedDatabase(options.folder)
  const backend = await openBackend(options, migrations, log)
  let applied: readonly string[]
  try {
    const names = await migrate(backend, migrations, log)
    // A new one may start from one that the build migrated.
    applied = isNew ? migrations.map(({ name }) => name) : names
  } catch (error) {
    await backend.close()
    throw error
  }
  const client = connect(backend, log)
  const close = async (): Promise<void> => {
    await client.$disconnect()
    await backend.close()
  }
  let closed: Promise<void> | undefined
  return {
    read: client,
    write: client,
    run: backend.run ?? ((text, values) => client.$queryRawUnsafe(text, ...values)),
    kind: options.kind === 'server' ? 'server' : 'embedded',
    applied,
    ping: async () => {
      await client.$queryRaw`SELECT 1`
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }
}

function connect({ adapter }: Backend, log: Log): PrismaClient {
  const options = { adapter, transactionOptions: { maxWait: 10_000, timeout: 10_000 } }
  if (!log.isLevelEnabled('trace')) return new PrismaClient(options)
  const client = new PrismaClient({ ...options, log: [{ emit: 'event', level: 'query' }] })
  client.$on('query', ({ query, duration }) => log.trace({ statement: query, ms: duration }, 'statement'))
  return client
}

// Each brings a large library along, so only the one that is used is loaded.
async function openBackend(options: DatabaseOptions, migrations: readonly Migration[], log: Log): Promise<Backend> {
  if (options.kind === 'server') {
    const { openServerBackend } = await import('./server-backend.ts')
    return openServerBackend(options.url, options.poolSize, log)
  }
  const { openEmbeddedBackend, openMemoryBackend } = await import('./embedded-backend.ts')
  if (options.kind === 'memory') return openMemoryBackend(options.dump)
  const { unpackPrebuiltCluster } = await import('./prebuilt-cluster.ts')
  return openEmbeddedBackend(options.folder, (folder) => unpackPrebuiltCluster(migrations, folder))
}
