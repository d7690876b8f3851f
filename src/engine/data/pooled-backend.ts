import { EventEmitter } from 'node:events'
import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { Log } from '../log.ts'
import type { Backend, PayloadRead, Statement, TextRow } from './backend.ts'
import { Batches } from './batches.ts'
import { isUnprepared } from './client.ts'
import { retrying } from './database-error.ts'
import { Instrumentation } from './instrumentation.ts'
import { KeyedSemaphore } from './keyed-semaphore.ts'
import { createPool, DatabaseHosts } from './pool.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { clientIsGone, tooBusy } from './request-info.ts'
import {
  fixedSettings,
  liftTransactionLimit,
  noLimits,
  scriptOf,
  servingLimits,
  servingSettings,
} from './serving-settings.ts'
import { hasUnknownState } from './unavailable.ts'

/** Prisma's adapter, whose single statements are repeated after a conflict with others. */
class PrismaAdapter extends PrismaPg {
  override async connect(): ReturnType<PrismaPg['connect']> {
    const adapter = await super.connect()
    const queryRaw = adapter.queryRaw.bind(adapter)
    const executeRaw = adapter.executeRaw.bind(adapter)
    return Object.assign(adapter, {
      queryRaw: (query: Parameters<typeof queryRaw>[0]) => retrying(() => queryRaw(query)),
      executeRaw: (query: Parameters<typeof executeRaw>[0]) => retrying(() => executeRaw(query)),
    })
  }
}

/** The number of connections outside the pool, for health checks, tokens, trusted documents and cancellation. */
export const reservedConnections = 2

/** How many statements that are not cheap wait, of one account and in total, how many reserved ones, and for how many milliseconds. */
export const waitingLimits = { ofAccount: 64, total: 512, reserved: 1_000, waitTimeout: 2_000 } as const

/** The maximum number of runs in a batch. It is lower where each batch makes all other statements wait. */
export const batchSizes = { usual: 128, serial: 16 } as const

/** The channel on which the processes of a database notify each other. A standby cannot listen. */
const channel = 'rookery'
const listen = `DO $$ BEGIN IF NOT pg_is_in_recovery() THEN LISTEN ${channel}; END IF; END $$`

/** How long the driver of a server waits for a result, in milliseconds: so long that the database ends the statement first. */
const resultTimeout = 4_500

/** How long a connection may take to open, in milliseconds. */
export const connectTimeout = 5_000

/** Ends a backend, for example one whose commit waits for a standby. */
const terminate = `SELECT pg_terminate_backend(pid) FROM pg_stat_activity
  WHERE pid = $1 AND application_name = current_setting('application_name')`

/** How the connections of a database are used. */
type PoolOptions = {
  readonly size: number
  /** Whether they serve requests, within limits. */
  readonly serves: boolean
  /** Whether the database runs one statement at a time, and cannot cancel it. */
  readonly isSerial?: boolean
  /** Whether a standby is refused. */
  readonly avoidsStandbys?: boolean
  readonly behindPgBouncer?: boolean
  readonly schema: string
  /** That of the primary, for a replica. */
  readonly instrumentation?: Instrumentation
}

/** Fails on a standby. */
const refuseStandby = `DO $$ BEGIN IF pg_is_in_recovery() THEN RAISE read_only_sql_transaction; END IF; END $$`

/**
 * Creates the connection pools of a database. When they are used, they connect to the first of these servers, or to another one if
 * that fails.
 */
export function openPooledBackend(targets: readonly pg.ClientConfig[], options: PoolOptions, log: Log): Backend {
  const { size, serves, isSerial = false, avoidsStandbys = false, behindPgBouncer = false, schema } = options
  const { instrumentation = new Instrumentation() } = options
  const connection = {
    application_name: 'rookery',
    connectionTimeoutMillis: connectTimeout,
    keepAlive: true,
  }
  const config = { ...connection, ...(serves && { query_timeout: resultTimeout }), idleTimeoutMillis: 30_000 }
  const searchPath = `SET search_path = ${pg.escapeIdentifier(schema)}, pg_temp`
  const scriptWith = (limits: typeof servingLimits | typeof noLimits) => {
    if (behindPgBouncer) return ''
    return `${searchPath}; ${scriptOf({ ...fixedSettings, ...servingSettings, ...limits })}; ${liftTransactionLimit}`
  }
  // PGlite does not survive a timeout that ends a session.
  const script = scriptWith(serves && !isSerial ? servingLimits : noLimits)
  const begin = serves && avoidsStandbys ? `${refuseStandby}; ${script}` : script
  const servers = new DatabaseHosts(targets)
  const onBackend = async (text: string, values: readonly unknown[]) => {
    // PgBouncer makes up process ids.
    if (!isSerial && !behindPgBouncer) await reserved.query(text, [...values])
  }
  const connections = { servers, instrumentation, begin, abandon: (pid: number | null) => onBackend(terminate, [pid]) }
  const pool = createPool({ ...config, max: size, pipeline: true }, connections, log)
  const listens = serves && !isSerial && !behindPgBouncer
  const reserved = createPool(
    { ...config, max: reservedConnections, min: reservedConnections },
    { ...connections, begin: listens ? `${begin}; ${listen}` : begin },
    log,
  )
  const hints = new EventEmitter()
  reserved.on('connect', (client) => client.on('notification', () => hints.emit(channel)))
  const prepared = behindPgBouncer ? undefined : new PreparedStatements()
  const cancel = (pid: number | null) => onBackend('SELECT pg_cancel_backend($1)', [pid])
  const run = statementRunner(pool, prepared, cancel, log)
  const runOnReserved = statementRunner(reserved, prepared, cancel, log)
  const half = Math.max(1, Math.floor(size / 2))
  const batchSize = isSerial ? batchSizes.serial : batchSizes.usual
  const batches = new Batches(run, instrumentation, { atOnce: half, batchSize })
  const { ofAccount, total, waitTimeout } = waitingLimits
  const accounts = new KeyedSemaphore({ atOnce: Math.ceil(half / 2), waiting: ofAccount, waitTimeout })
  const everybody = new KeyedSemaphore({ atOnce: half, waiting: total, waitTimeout })
  const runLimited: Backend['runLimited'] = (request, work) =>
    request ? accounts.run(request.rateLimitKey, () => everybody.run('', work)) : work()
  return {
    read: (read, request) =>
      read.isCheap ? batches.run(read) : runLimited(request, () => run(read, [], request?.lifetime.signal)),
    write: ({ text, values, lockKey, payload }, request) => {
      const statement = { text, values, preparation: 'always' } as const
      return lockKey === undefined
        ? runLimited(request, () => run(statement, payload ? [payload] : []))
        : batches.run({ ...statement, lockKey, payload })
    },
    runLimited,
    runReserved: async (text, values) => {
      if (reserved.waitingCount >= waitingLimits.reserved) throw tooBusy()
      return runOnReserved({ text, values, preparation: 'always' })
    },
    schema,
    adapter: new PrismaAdapter(pool, {
      schema,
      statementNameGenerator: ({ sql }) => (isUnprepared(sql) ? '' : (prepared?.nameOfBuiltIn(sql) ?? '')),
    }),
    onOwnConnection: async (work) => {
      const unlimited = { servers, instrumentation, begin: scriptWith(noLimits) }
      const single = createPool({ ...connection, max: 1 }, unlimited, log)
      try {
        const client = await single.connect()
        return await work(client).finally(() => client.release())
      } finally {
        await single.end()
      }
    },
    hints: {
      give: async () => {
        if (listens) await reserved.query(`NOTIFY ${channel}`)
      },
      onEach: (listener) => {
        hints.on(channel, listener)
        return () => hints.off(channel, listener)
      },
    },
    resources: { pools: { requests: pool, reserved }, slots: { statements: everybody, account_statements: accounts } },
    instrumentation,
    close: async () => {
      await Promise.all([pool.end(), reserved.end()])
    },
  }
}

/**
 * Returns what runs a statement on a connection of its own, with reads that see it in the same round trip. When the signal fires, it throws
 * `UNAVAILABLE`, and `cancel` ends the statement of the backend with this process id.
 */
function statementRunner(
  pool: pg.Pool,
  prepared: PreparedStatements | undefined,
  cancel: (processID: number | null) => Promise<unknown>,
  log: Log,
): <Row extends object>(statement: Statement, reads?: readonly PayloadRead[], signal?: AbortSignal) => Promise<Row[]> {
  const run = async <Row extends object>(statement: Statement, reads: readonly PayloadRead[], signal?: AbortSignal) => {
    const client = await pool.connect()
    if (signal?.aborted) {
      client.release()
      throw clientIsGone()
    }
    let isBroken = false
    let cancelling: Promise<unknown> | undefined
    const onAbort = () => {
      cancelling = cancel(client.processID).catch(() => {
        isBroken = true
      })
    }
    signal?.addEventListener('abort', onAbort, { once: true })
    const send = async <Any extends object>({ text, values, preparation }: Statement) => {
      log.trace({ statement: text }, 'statement')
      const name = prepared?.nameOf({ text, preparation }, client)
      return (await client.query<Any>({ name, text, values: [...values] })).rows
    }
    try {
      const [own, ...found] = await Promise.allSettled([
        send<Row>(statement),
        ...reads.map((read) => send<TextRow>(read)),
      ])
      if (own.status === 'rejected') throw own.reason
      found.forEach((rows, index) => {
        if (rows.status === 'fulfilled') reads[index]?.take(rows.value)
        else isBroken ||= hasUnknownState(rows.reason)
      })
      return own.value
    } catch (error) {
      isBroken ||= hasUnknownState(error)
      throw signal?.aborted ? clientIsGone() : error
    } finally {
      signal?.removeEventListener('abort', onAbort)
      // Until then, the cancellation could still reach the next statement of the connection.
      await cancelling
      client.release(isBroken)
    }
  }
  return (statement, reads = [], signal) => retrying(() => run(statement, reads, signal))
}
