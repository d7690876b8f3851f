import { resolve } from 'node:path'
import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Backend, ComposedRead, RunStatement } from './backend.ts'
import type { Opener } from './embedded/embedded-server.ts'
import { prebuiltCluster } from './embedded/prebuilt-cluster.ts'
import type { Requester } from './fair-queue.ts'
import type { PrismaClient } from './generated/prisma/client.ts'
import { migrate } from './migrate.ts'
import { type Migration, migrationsFolder, readMigrations } from './migration-files.ts'
import { type Turn, takingTurns } from './turns.ts'

/** Where the database is: a PostgreSQL server, or the folder of an embedded one. Commands have no limits of time. */
export type DatabaseOptions = {
  readonly opener: Opener
  /** Called once the database starts or is connected to, so that others load what they need meanwhile. */
  readonly onStarting?: () => void
} & (
  | { readonly kind: 'server'; readonly url: string; readonly poolSize: number }
  | { readonly kind: 'embedded'; readonly folder: string }
)

/**
 * An open, migrated database with two doors: `read` for what may be a moment old, `write` for everything else. An
 * embedded one has a single session, so whatever else asks during an interactive transaction waits for its end.
 */
export type Database = {
  readonly read: PrismaClient
  readonly write: PrismaClient
  /** Runs one statement of the program's own that stands for itself, such as a write that is a function of the database. */
  readonly run: RunStatement
  /** Runs one composed read. It is cancelled when the client that it is for is gone. */
  runRead<Row extends object>(read: ComposedRead): Promise<Row[]>
  /** Runs one short statement of the program's own on connections that are kept for what has to work under any load. */
  readonly runReserved: RunStatement
  /**
   * The same database for one client: all that is done takes its turn among others, and only so much is done at once for one
   * account. What waits too long, or finds too many waiting, is refused with `UNAVAILABLE`.
   */
  for(requester: Requester): Database
  readonly kind: 'embedded' | 'server'
  /** The names of the migrations that opening it applied; of an embedded one that it made, all. */
  readonly applied: readonly string[]
  /** Resolves when the database answers. */
  ping(): Promise<void>
  /** Waits for what is under way and lets go of the connections, the folder and its lock. A second call is harmless. */
  close(): Promise<void>
}

/** The database that the settings ask for. */
export function databaseOptions({ databaseUrl, databasePool, dataDir }: Config, opener: Opener): DatabaseOptions {
  if (databaseUrl === undefined) return { kind: 'embedded', folder: resolve(dataDir), opener }
  return { kind: 'server', url: databaseUrl, poolSize: databasePool, opener }
}

/**
 * Opens a database and brings it up to the migrations of this version. Throws a `DatabaseError` when it is out of
 * reach (within about 5 seconds) or in use, a `MigrationError` when its history does not fit.
 */
export async function openDatabase(options: DatabaseOptions, log: Log): Promise<Database> {
  const migrations = await readMigrations(migrationsFolder)
  const { backend, isNew } = await openBackend(options, migrations, log)
  let applied: readonly string[]
  try {
    const names = await migrate(backend, migrations, log)
    // A new one may start from one that the build migrated.
    applied = isNew ? migrations.map(({ name }) => name) : names
  } catch (error) {
    await backend.close()
    throw error
  }
  const client = await connect(backend, log)
  const close = async (): Promise<void> => {
    await client.$disconnect()
    await backend.close()
  }
  let closed: Promise<void> | undefined
  const database: Database = {
    read: client,
    write: client,
    run: backend.run,
    runRead: (read) => backend.runRead(read),
    runReserved: backend.runReserved,
    for: (requester) => forRequester(database, backend, requester),
    kind: options.kind,
    applied,
    ping: async () => {
      await backend.runReserved('SELECT 1', [])
    },
    close: () => {
      closed ??= close()
      return closed
    },
  }
  return database
}

function forRequester(database: Database, backend: Backend, requester: Requester): Database {
  const turn: Turn = (work) => backend.inTurn(requester, work)
  return {
    ...database,
    read: takingTurns(database.read, turn),
    write: takingTurns(database.write, turn),
    run: (text, values) => turn(() => backend.run(text, values)),
    runRead: (read) => turn(() => backend.runRead(read, requester.signal)),
  }
}

// It is large, and an embedded database starts while it is loaded.
async function connect({ adapter }: Backend, log: Log): Promise<PrismaClient> {
  const { PrismaClient } = await import('./generated/prisma/client.ts')
  const options = { adapter, transactionOptions: { maxWait: 10_000, timeout: 10_000 } }
  if (!log.isLevelEnabled('trace')) return new PrismaClient(options)
  const client = new PrismaClient({ ...options, log: [{ emit: 'event', level: 'query' }] })
  client.$on('query', ({ query, duration }) => log.trace({ statement: query, ms: duration }, 'statement'))
  return client
}

// Only the one that is used is loaded.
async function openBackend(options: DatabaseOptions, migrations: readonly Migration[], log: Log) {
  if (options.kind === 'server') {
    const { url, poolSize, opener, onStarting } = options
    const loading = import('./server-backend.ts')
    onStarting?.()
    const { openServerBackend } = await loading
    return { isNew: false, backend: await openServerBackend(url, { poolSize, serves: opener === 'server' }, log) }
  }
  const { openEmbeddedBackend } = await import('./embedded/embedded-backend.ts')
  return openEmbeddedBackend({ ...options, prebuilt: prebuiltCluster(migrations) }, log)
}
