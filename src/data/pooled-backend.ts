import { PrismaPg } from '@prisma/adapter-pg'
import type { SqlQuery } from '@prisma/driver-adapter-utils'
import pg from 'pg'
import type { Log } from '../log.ts'
import { AbandonedBackends } from './abandoned-backends.ts'
import { type Backend, type MigrationConnection, migrationConnection } from './backend.ts'
import { CharacterColumns } from './character-columns.ts'
import { UnfitServer } from './connection-advice.ts'
import { MigrationError } from './database-error.ts'
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
import { isOutcomeUnknown } from './unavailable.ts'

// The key of Prisma's own lock, so that `prisma migrate deploy` waits too.
const migrationLock = 72707369

/** How many connections are kept beside the pool, for health checks, tokens and cancelling. */
export const reservedConnections = 2

/** How many connections one account has at most: while no other account is active, and among others. */
export type Shares = { readonly alone: number; readonly each: number }

/** How many requests wait for a connection, in all and of one account, and for how long, in milliseconds. */
const waitingLimits = { waiting: 512, waitingEach: 128, patience: 2_000 } as const

/** From how many milliseconds on what an account does is slow, so that it has its smaller share also while it is alone. */
const slow = 100

/** How a pool is used. */
export type PoolOptions = {
  readonly size: number
  readonly shares: Shares
  /** Whether it serves requests. */
  readonly serves: boolean
  /** Whether its statements can be cancelled while they run. */
  readonly canCancel: boolean
  /** Limits that the connections of the pool already send when they open. */
  readonly limits?: Pick<pg.ClientConfig, 'statement_timeout'>
}

/** A database reached through one pool of connections. Rejects with the driver's error where there is no reaching it. */
export async function openPooledBackend(
  target: pg.ClientConfig,
  { size, shares, serves, canCancel, limits }: PoolOptions,
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
    atOnce: size,
    atOnceAlone: shares.alone,
    atOnceEach: shares.each,
    slow,
  })
  const abandoned = new AbandonedBackends(reserved, queue, log)
  pool.on('release', (error, client) => {
    const isUnfinished = client.getTransactionStatus() !== 'I'
    if (canCancel && (isUnfinished || isUnanswered(error))) abandoned.end(client)
    // A transaction whose end was not answered in time may still run, so nobody else gets its connection.
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
  const runner = new StatementRunner({ pool, reserved, prepared, canCancel, log })
  return {
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => prepared.ofOwn(sql) }),
    run: runner.run,
    runRead: (read, signal) => runner.runRead(read, signal),
    runReserved: runner.runReserved,
    inTurn: (requester, work) => queue.run(requester, work),
    queryable: await new PrismaPg(pool).connect(),
    exclusively: (work) => exclusively(connectionWith({ ...servingSettings, ...noLimits }), work),
    close,
  }
}

/** Whether the server may still be busy with a statement: it answered neither a result nor an error. */
function isUnanswered(error: unknown): boolean {
  if (error == null || error === false) return false
  return !(error instanceof pg.DatabaseError) || isOutcomeUnknown(error)
}

function newPool(config: pg.PoolConfig, log: Log): pg.Pool {
  const pool = new pg.Pool({ ...config, Client: PoolClient })
  pool.on('error', (err) => log.warn({ err }, 'an idle connection to the database was lost'))
  // Of one that is in use, its statement is told.
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

// One connection, held for the whole transaction and without the time limits that serving has.
async function exclusively<T>(
  connection: pg.PoolConfig,
  work: (connection: MigrationConnection) => Promise<T>,
): Promise<T> {
  const characters = new CharacterColumns()
  const pool = new pg.Pool({ ...connection, max: 1 }).on('connect', (client) => characters.hide(client))
  try {
    const adapter = await new PrismaPg(pool).connect()
    const transaction = await adapter.startTransaction()
    // Without arguments a query takes the simple protocol, which runs many statements at once.
    const run = (sql: string) => transaction.executeRaw({ sql, args: [], argTypes: [] })
    try {
      await run(`SET LOCAL lock_timeout = '60s'`)
      await run(`SELECT pg_advisory_xact_lock(${migrationLock})`).catch((cause: unknown) => {
        throw new MigrationError('Another process has been migrating the database for a minute.', { cause })
      })
      const read = async (query: SqlQuery) => characters.show(await transaction.queryRaw(query))
      const result = await work({ ...migrationConnection(transaction, run), queryRaw: read })
      await run('COMMIT')
      return result
    } catch (error) {
      // On a lost connection this fails too; the server then rolls back by itself.
      await run('ROLLBACK').catch(() => undefined)
      throw error
    } finally {
      await transaction.rollback()
    }
  } finally {
    await pool.end()
  }
}
