import { PrismaPg } from '@prisma/adapter-pg'
import type pg from 'pg'
import type { Log } from '../log.ts'
import type { Backend, RunStatement } from './backend.ts'
import { Batches } from './batches.ts'
import { UnfitServer } from './connection-advice.ts'
import { createPool } from './pool.ts'
import { PreparedStatements } from './prepared-statements.ts'
import { tooBusy } from './requester.ts'
import {
  applicationName,
  driverLimits,
  noLimits,
  scriptOf,
  servingLimits,
  servingSettings,
} from './serving-settings.ts'
import { Slots } from './slots.ts'
import { StatementRunner } from './statement-runner.ts'

/** The number of connections outside the pool, for health checks, tokens, trusted documents and cancellation. */
export const reservedConnections = 2

/** How many statements that are not cheap wait, of one account and in total, how many reserved ones, and for how many milliseconds. */
export const waitingLimits = { ofAccount: 64, total: 512, reserved: 1_000, waitTimeout: 2_000 } as const

/** The maximum number of runs in a batch. It is lower where each batch makes all other statements wait. */
export const batchSizes = { usual: 128, serial: 16 } as const

/** Ends a backend, for example one whose commit waits for a standby. */
const terminate = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND application_name = $2'

/** Options of a pool. */
export type PoolOptions = {
  readonly size: number
  /** Whether it serves requests. */
  readonly serves: boolean
  /** Whether the server runs one statement at a time and cannot cancel it. */
  readonly isSerial: boolean
}

/** Opens a database through one connection pool. Rejects with the driver's error if it is unreachable. */
export async function openPooledBackend(
  target: pg.ClientConfig,
  { size, serves, isSerial }: PoolOptions,
  log: Log,
): Promise<Backend> {
  const connection = { ...target, application_name: applicationName, connectionTimeoutMillis: 5_000, keepAlive: true }
  const config = { ...connection, ...(serves ? driverLimits : {}), idleTimeoutMillis: 30_000 }
  const unlimited = scriptOf({ ...servingSettings, ...noLimits })
  // PGlite does not survive a timeout that ends a session.
  const begin = serves && !isSerial ? scriptOf({ ...servingSettings, ...servingLimits }) : unlimited
  const abandon = async (processID: number | null) => {
    if (!isSerial) await reserved.query(terminate, [processID, applicationName])
  }
  const pool = createPool({ ...config, max: size }, { begin, abandon }, log)
  const reserved = createPool(
    { ...config, max: reservedConnections, min: reservedConnections },
    { begin, abandon },
    log,
  )
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
  const runner = new StatementRunner(pool, prepared, log)
  const reservedRunner = new StatementRunner(reserved, prepared, log)
  const half = Math.max(1, Math.floor(size / 2))
  const batchSize = isSerial ? batchSizes.serial : batchSizes.usual
  const batches = new Batches((statement) => runner.run(statement), { atOnce: half, batchSize })
  const { ofAccount, total, waitTimeout } = waitingLimits
  const accounts = new Slots({ atOnce: Math.ceil(half / 2), waiting: ofAccount, waitTimeout })
  const everybody = new Slots({ atOnce: half, waiting: total, waitTimeout })
  const runLimited: Backend['runLimited'] = (requester, work) =>
    requester ? accounts.run(requester.account, () => everybody.run('', work)) : work()
  const runReserved: RunStatement = async (text, values) => {
    if (reserved.waitingCount >= waitingLimits.reserved) throw tooBusy()
    return reservedRunner.run({ text, values, isBuiltIn: true })
  }
  const cancel = async (processID: number | null) => {
    if (!isSerial) await reserved.query('SELECT pg_cancel_backend($1)', [processID])
  }
  return {
    read: (read, requester) => {
      if (read.isCheap) return batches.run(read)
      const signal = requester?.caller.signal
      return runLimited(requester, () => runner.run(read, signal && { signal, cancel }))
    },
    write: ({ text, values, lockKey }, requester) => {
      const statement = { text, values, isBuiltIn: true }
      return lockKey === undefined
        ? runLimited(requester, () => runner.run(statement))
        : batches.run({ ...statement, lockKey })
    },
    runLimited,
    runReserved,
    adapter: new PrismaPg(pool, { statementNameGenerator: ({ sql }) => prepared.nameOfBuiltIn(sql) }),
    onOwnConnection: (work) => onOwnConnection(createPool({ ...connection, max: 1 }, { begin: unlimited }, log), work),
    close,
  }
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

async function onOwnConnection<T>(pool: pg.Pool, work: (client: pg.ClientBase) => Promise<T>): Promise<T> {
  try {
    const client = await pool.connect()
    return await work(client).finally(() => client.release())
  } finally {
    await pool.end()
  }
}
