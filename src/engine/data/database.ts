import type { Log } from '../log.ts'
import type { Backend, CompiledRead, FunctionWrite, Hints, RunStatement, TextRow } from './backend.ts'
import { type Client, joinable, repeating, type TransactionalClient, unprepared } from './client.ts'
import type { Opener } from './embedded/embedded-server.ts'
import { prebuiltCluster } from './embedded/folder.ts'
import type { PrismaClient } from './generated/prisma/client.ts'
import type { Instrumentation, Resources } from './instrumentation.ts'
import { migrate } from './migrate.ts'
import { type Migration, migrationsFolder, readMigrations } from './migration-files.ts'
import type { Replicas } from './replicas.ts'
import type { RequestInfo } from './request-info.ts'

/** Which database to open: a PostgreSQL server, maybe with replicas, or an embedded one. Commands have no time limits. */
export type DatabaseOptions = {
  readonly opener: Opener
  /** Called when the database starts or a connection begins, so that the caller can load modules in the meantime. */
  readonly onStarting?: () => void
} & (
  | {
      readonly kind: 'server'
      readonly url: string
      readonly poolSize: number
      readonly replicaUrls?: readonly string[]
    }
  | { readonly kind: 'embedded'; readonly folder: string }
)

/** For writes, and for reads that have to see the latest ones. */
type WriteAccess = {
  /**
   * For accounts, tokens, administration and transactions. An embedded database has a single session, so other statements wait for the
   * end of an interactive transaction.
   */
  readonly prisma: TransactionalClient
  /** Runs several statements in one transaction, which may hold locks for long. It is limited like a read that is not cheap. */
  limitedTransaction<T>(work: (transaction: Client) => Promise<T>): Promise<T>
  /** Runs one write that calls a function of the database. Resolves after its commit. */
  run(write: FunctionWrite): Promise<readonly TextRow[]>
  /** Runs one compiled read that sees all writes that were committed before, such as that of the payload of a mutation. */
  read(read: CompiledRead): Promise<readonly TextRow[]>
}

/** The work that a database does for one client, for a command, or within a transaction. */
export type Access = {
  /** Runs one compiled read, which a replica may serve. Cancels it when its client disconnects, unless it is cheap. */
  read(read: CompiledRead): Promise<readonly TextRow[]>
  readonly write: WriteAccess
}

/** An open, migrated database. */
export type Database = Access & {
  /** Undefined if all reads go to the primary. */
  readonly replicas: Replicas | undefined
  /** Runs one short built-in statement on the connections reserved for work that must succeed under any load. */
  readonly runReserved: RunStatement
  /**
   * The access of one client. Its statements that are not cheap have a limited number of connections for each account, and end when it is
   * gone. Throws `UNAVAILABLE` when too many wait, or one waits for too long.
   */
  for(request: RequestInfo): Access
  readonly kind: 'embedded' | 'server'
  readonly hints: Hints
  /** What statements wait for. */
  readonly resources: Resources
  readonly instrumentation: Instrumentation
  /** The names of the migrations applied on opening; all of them if an embedded database was created. */
  readonly applied: readonly string[]
  /** Loads what `prisma` needs for its first query. Otherwise that query blocks the event loop for about 0.1 seconds. */
  warmUp(): Promise<void>
  /** Resolves when the database responds. Calls at the same time share one statement. */
  ping(): Promise<void>
  /** Waits for running work and releases the connections, the folder and its lock. A second call has no effect. */
  close(): Promise<void>
}

/**
 * Opens a database and applies pending migrations. Throws a `DatabaseError` if it is
 * unreachable (after about 5 seconds) or in use, and a `MigrationError` if its history does not match.
 */
export async function openDatabase(options: DatabaseOptions, log: Log): Promise<Database> {
  const migrations = await readMigrations(migrationsFolder)
  const { backend, isNew } = await openBackend(options, migrations, log)
  try {
    const names = await backend.onOwnConnection((client) => migrate(client, migrations, log, backend.schema))
    // A new database can start from a copy that the build migrated.
    const applied = isNew ? migrations.map(({ name }) => name) : names
    const client = await prismaOn(backend, log)
    return databaseOf(options.kind, applied, backend, await replicasOf(options, backend, log), client)
  } catch (error) {
    await backend.close()
    throw error
  }
}

function databaseOf(
  kind: Database['kind'],
  applied: readonly string[],
  backend: Backend,
  replicas: Replicas | undefined,
  client: PrismaClient,
): Database {
  const { pools, slots } = backend.resources
  const prisma = repeating(client)
  /** The access for one request, or of commands and tests, whose work has no limits. */
  const accessOf = (request?: RequestInfo): Access => {
    const readLatest = (read: CompiledRead) => backend.read(read, request)
    return {
      read: replicas && request ? (read) => replicas.read(read, request) : readLatest,
      write: {
        prisma,
        limitedTransaction: (work) => backend.runLimited(request, () => prisma.$transaction(work)),
        run: (write) => backend.write(write, request),
        read: readLatest,
      },
    }
  }
  let pinging: Promise<unknown> | undefined
  let closing: Promise<void> | undefined
  return {
    ...accessOf(),
    replicas,
    runReserved: backend.runReserved,
    for: accessOf,
    kind,
    hints: backend.hints,
    resources: { pools: { ...pools, ...replicas?.pools }, slots },
    instrumentation: backend.instrumentation,
    applied,
    warmUp: () => client.$connect(),
    ping: async () => {
      pinging ??= backend.runReserved('SELECT 1', []).finally(() => (pinging = undefined))
      await pinging
    },
    close: () => {
      closing ??= client.$disconnect().then(async () => void (await Promise.all([backend.close(), replicas?.close()])))
      return closing
    },
  }
}

/** The access inside a transaction. Statements of clients are not prepared there, because nothing would close them. */
export function accessWithin(transaction: Client): Access {
  const run = (text: string, values: readonly unknown[]) => transaction.$queryRawUnsafe<TextRow[]>(text, ...values)
  const read = ({ text, values, preparation }: CompiledRead) =>
    run(preparation === 'always' ? text : unprepared(text), values)
  return {
    read,
    write: {
      prisma: joinable(transaction),
      limitedTransaction: (work) => work(transaction),
      run: ({ text, values }) => run(text, values),
      read,
    },
  }
}

// Imported late: the client is large, and an embedded database starts while it loads.
async function prismaOn({ adapter }: Backend, log: Log): Promise<PrismaClient> {
  const { PrismaClient } = await import('./generated/prisma/client.ts')
  const options = { adapter, transactionOptions: { maxWait: 10_000, timeout: 10_000 } }
  if (!log.isLevelEnabled('trace')) return new PrismaClient(options)
  const client = new PrismaClient({ ...options, log: [{ emit: 'event', level: 'query' }] })
  client.$on('query', ({ query, duration }) => log.trace({ statement: query, ms: duration }, 'statement'))
  return client
}

// Imported late: few databases have replicas.
async function replicasOf(options: DatabaseOptions, backend: Backend, log: Log): Promise<Replicas | undefined> {
  if (options.kind !== 'server' || !options.replicaUrls?.length) return undefined
  const { Replicas } = await import('./replicas.ts')
  const replicas = new Replicas(backend, options.replicaUrls, options.poolSize, log)
  replicas.start()
  return replicas
}

// Imported late: only the selected backend is loaded.
async function openBackend(options: DatabaseOptions, migrations: readonly Migration[], log: Log) {
  if (options.kind === 'server') {
    const { url, poolSize, opener, onStarting } = options
    onStarting?.()
    const { openServerBackend } = await import('./server-backend.ts')
    return { isNew: false, backend: await openServerBackend(url, { poolSize, serves: opener === 'server' }, log) }
  }
  const { openEmbeddedBackend } = await import('./embedded/embedded-server.ts')
  return openEmbeddedBackend({ ...options, prebuilt: prebuiltCluster(migrations) }, log)
}
