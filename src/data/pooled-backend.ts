import { PrismaPg } from '@prisma/adapter-pg'
import pLimit from 'p-limit'
import pg from 'pg'
import type { Log } from '../log.ts'
import { AbandonedBackends } from './abandoned-backends.ts'
import type { Backend, Statement } from './backend.ts'
import { Batcher } from './batcher.ts'
import { UnfitServer } from './connection-advice.ts'
import { FairQueue } from './fair-queue.ts'
import { asRefused, PoolClient } from './pool-client.ts'
import { PreparedStatements } from './prepared-statements.ts'
import {
  applicationName,
  driverLimits,
  noLimits,
  scriptOf,
  servingLimits,
  servingSettings,
} from './serving-settings.ts'
import { StatementRunner } from './statement-runner.ts'
import { isOutcomeUnknown, isUnavailable } from './unavailable.ts'

/** The number of connections outside the pool, for health checks, tokens and cancellation. */
export const reservedConnections = 2

/** The maximum number of connections of one account: while no other account is active, and otherwise. */
export type Shares = { readonly alone: number; readonly each: number }

/** How many requests can wait for a connection, in total and for one account, and for how many milliseconds. */
export const waitingLimits = { waiting: 512, waitingEach: 128, waitTimeout: 2_000 } as const

/** The duration in milliseconds from which a job counts as slow: for concurrent jobs, and for jobs that run one after the other. */
const slow = { sideBySide: 100, serial: 20 } as const

/**
 * How much of a serial database's time one account may use while others are active, so that others do not wait behind its slow jobs.
 * Times are in milliseconds.
 */
export const serialTime = { share: 0.5, burst: slow.serial, longestPause: 1_000 } as const

/**
 * The maximum number of running executions of one text before others are batched, and of runs in a batch; fewer where each batch makes
 * all other statements wait.
 */
const batchLimits = { inProgress: 2, largest: 128, largestSerial: 16 } as const

/** The maximum number of cheap statements in progress: in total, of one account while no other is active, and of one account otherwise. */
export const cheapShares = { atOnce: 512, atOnceAlone: 128, atOnceEach: 16 } as const

/** The number of connections of the pool that only cheap statements use, so that they never wait for all others. */
const keptForCheap = 2

/** PostgreSQL codes for a conflict with another statement, after which a retry may succeed. */
const transientCodes = new Set(['40001', '40P01'])

/** PostgreSQL codes for a statement that was cancelled, such as by its time limit, and for the time limit of a lock. */
const timeoutCodes = new Set(['57014', '55P03'])

const hasCode = (error: unknown, codes: ReadonlySet<string>) =>
  error instanceof pg.DatabaseError && !isOutcomeUnknown(error) && codes.has(error.code ?? '')

const isTransient = (error: unknown) => hasCode(error, transientCodes)

const hasTimedOut = (error: unknown) => hasCode(error, timeoutCodes)

/** Options of a pool. */
export type PoolOptions = {
  readonly size: number
  readonly shares: Shares
  /** Whether it serves requests. */
  readonly serves: boolean
  /** Whether the server runs one statement at a time and cannot cancel it. */
  readonly isSerial: boolean
  /** Whether cheap statements run in batches. */
  readonly isBatching?: boolean | undefined
  /** Limits that the connections send when they open. */
  readonly limits?: Pick<pg.ClientConfig, 'statement_timeout'>
}

/** Opens a database through one connection pool. Rejects with the driver's error if it is unreachable. */
export async function openPooledBackend(
  target: pg.ClientConfig,
  { size, shares, serves, isSerial, isBatching = true, limits }: PoolOptions,
  log: Log,
): Promise<Backend> {
  const connectionWith = (settings: Readonly<Record<string, string | number>>): pg.PoolConfig => ({
    ...target,
    application_name: applicationName,
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    onConnect: async (client) => {
      await client.query(scriptOf(settings)).catch((error: unknown) => {
        throw asRefused(error)
      })
    },
  })
  const limited = {
    ...connectionWith({ ...servingSettings, ...(serves ? servingLimits : noLimits) }),
    ...(serves ? driverLimits : {}),
    ...limits,
    idleTimeoutMillis: 30_000,
  }
  const pool = newPool({ ...limited, max: size }, log)
  const reserved = newPool({ ...limited, max: reservedConnections, min: reservedConnections }, log)
  const queue = new FairQueue({
    ...waitingLimits,
    atOnce: Math.max(1, size - keptForCheap),
    atOnceAlone: shares.alone,
    atOnceEach: shares.each,
    slow: isSerial ? slow.serial : slow.sideBySide,
    isSerial,
    ...(isSerial ? { time: serialTime } : {}),
  })
  const half = Math.max(1, Math.floor(size / 2))
  // Neither what waits for locks nor repeated batches may occupy all connections or all executions.
  const almostHalf = Math.max(1, half - 1)
  const longQueue = new FairQueue({
    ...waitingLimits,
    atOnce: almostHalf,
    atOnceAlone: almostHalf,
    atOnceEach: shares.each,
  })
  const abandoned = new AbandonedBackends(reserved, queue, log)
  pool.on('release', (error, client) => {
    const isUnfinished = client.getTransactionStatus() !== 'I'
    if (!isSerial && (isUnfinished || isUnanswered(error))) abandoned.end(client)
    // A transaction without a timely response to its end may still run, so its connection is not reused.
    if (isUnfinished) void client.end()
  })
  const close = async () => {
    await Promise.all([pool.end(), reserved.end()])
  }
  try {
    await requireServed(reserved, serves)
  } catch (cause) {
    await close()
    throw cause
  }
  const prepared = new PreparedStatements()
  const runner = new StatementRunner({ pool, reserved, prepared, canCancel: !isSerial, log })
  const execute = async (statement: Statement) => {
    try {
      return await runner.runBatch(statement)
    } finally {
      queue.excludeOtherWork()
    }
  }
  const largest = isSerial ? batchLimits.largestSerial : batchLimits.largest
  const batching = {
    inProgress: isBatching ? batchLimits.inProgress : Number.POSITIVE_INFINITY,
    batchSize: isBatching ? largest : 1,
    waitTimeout: waitingLimits.waitTimeout,
    executions: pLimit(half),
    repeated: almostHalf,
    execute,
    hasTimedOut,
    mayRunAlone: (error: unknown) =>
      isTransient(error) || (error instanceof pg.DatabaseError && !isOutcomeUnknown(error) && !isUnavailable(error)),
    isTransient,
  }
  const [reads, writes] = [new Batcher(batching), new Batcher(batching)]
  const cheapQueue = new FairQueue({ ...waitingLimits, ...cheapShares })
  return {
    batchRead: (read, requester) => reads.run(read, requester),
    batchWrite: (write, requester) => writes.run({ ...write, isBuiltIn: true }, requester),
    inCheapTurn: (requester, work) => {
      // An account with cheap work must not find all connections taken by the expensive work of another.
      queue.noteActive(requester.account)
      return cheapQueue.run(requester, work)
    },
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => prepared.ofBuiltIn(sql) }),
    run: runner.run,
    runRead: (read, signal) => runner.runRead(read, signal),
    runReserved: runner.runReserved,
    inTurn: (requester, work) => queue.run(requester, work),
    inLongTurn: (requester, work) => longQueue.run(requester, () => queue.run(requester, work)),
    onOwnConnection: (work) => onOwnConnection(connectionWith({ ...servingSettings, ...noLimits }), work),
    close,
  }
}

/** Whether the server may still be running a statement: it has returned neither a result nor an error. */
function isUnanswered(error: unknown): boolean {
  if (error == null || error === false) return false
  return !(error instanceof pg.DatabaseError) || isOutcomeUnknown(error)
}

function newPool(config: pg.PoolConfig, log: Log): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: PoolClient })
  pool.on('error', (err) => {
    // The embedded database may end connections while the pool closes them.
    if (pool.ending) return
    // The driver attaches the client, with the texts of its statements.
    Reflect.deleteProperty(err, 'client')
    log.warn({ err }, 'an idle connection to the database was lost')
  })
  // If the connection is in use, the error reaches its statement.
  pool.on('connect', (client) => client.on('error', () => undefined))
  return pool
}

const oldestServed = 15

async function requireServed(pool: pg.Pool, serves: boolean): Promise<void> {
  const { rows } = await pool.query<{ version: number; standby: boolean }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version, pg_is_in_recovery() AS standby`,
  )
  const { version = 0, standby = false } = rows[0] ?? {}
  if (version < oldestServed)
    throw new UnfitServer(`it is PostgreSQL ${version}, and ${oldestServed} is the oldest served`, 'Upgrade it.')
  if (serves && standby)
    throw new UnfitServer('it is a standby, which takes no writes', 'Point DATABASE_URL at the primary.')
}

async function onOwnConnection<T>(config: pg.PoolConfig, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  const pool = new pg.Pool({ ...config, max: 1 })
  try {
    const client = await pool.connect()
    // A broken connection also fails the statement that uses it.
    client.on('error', () => undefined)
    return await work(client).finally(() => client.release())
  } finally {
    await pool.end()
  }
}
