import { PrismaPg } from '@prisma/adapter-pg'
import pg from 'pg'
import type { Log } from '../log.ts'
import { type Backend, type MigrationConnection, migrationConnection } from './backend.ts'
import { connectionAdvice } from './connection-advice.ts'
import { DatabaseError, MigrationError } from './database-error.ts'
import { servingSettings } from './serving-settings.ts'
import { statementNames } from './statement-names.ts'

const oldestServed = 15
const namedStatements = 500
// The key of Prisma's own lock, so that `prisma migrate deploy` waits too.
const migrationLock = 72707369

/** A PostgreSQL server, reached through one pool of at most `poolSize` connections. */
export async function openServerBackend(url: string, poolSize: number, log: Log): Promise<Backend> {
  const connection: pg.PoolConfig = {
    connectionString: url,
    application_name: 'rookery',
    connectionTimeoutMillis: 5_000,
    keepAlive: true,
    onConnect: (client) => client.query(servingSettings),
  }
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    idleTimeoutMillis: 30_000,
    statement_timeout: 10_000,
    query_timeout: 15_000,
    idle_in_transaction_session_timeout: 15_000,
  })
  pool.on('error', (err) => log.warn({ err }, 'an idle connection to the database was lost'))
  try {
    await requireServer(pool)
  } catch (cause) {
    await pool.end()
    const problem = `DATABASE_URL: cannot use ${withoutPassword(url)}: ${reasonOf(cause)}.`
    throw new DatabaseError(problem, { cause, advice: connectionAdvice(cause) })
  }
  const nameOf = statementNames(namedStatements)
  return {
    adapter: new PrismaPg(pool, { statementNameGenerator: nameOf }),
    run: async <Row extends object>(text: string, values: readonly unknown[]) => {
      log.trace({ statement: text }, 'statement')
      const { rows } = await pool.query<Row>({ name: nameOf({ sql: text }), text, values: [...values] })
      return rows
    },
    queryable: await new PrismaPg(pool).connect(),
    exclusively: (work) => exclusively(connection, work),
    close: () => pool.end(),
  }
}

async function requireServer(pool: pg.Pool): Promise<void> {
  const { rows } = await pool.query<{ version: number }>(
    `SELECT current_setting('server_version_num')::int / 10000 AS version`,
  )
  const version = rows[0]?.version ?? 0
  if (version < oldestServed) throw new Error(`it is PostgreSQL ${version}, and ${oldestServed} is the oldest served`)
}

// One connection, held for the whole transaction and without the time limits that serving has.
async function exclusively<T>(
  connection: pg.PoolConfig,
  work: (connection: MigrationConnection) => Promise<T>,
): Promise<T> {
  const pool = new pg.Pool({ ...connection, max: 1 })
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
      const result = await work(migrationConnection(transaction, run))
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

function withoutPassword(url: string): string {
  const { protocol, username, host, pathname } = new URL(url)
  return `${protocol}//${username === '' ? '' : `${username}@`}${host}${pathname}`
}

function reasonOf(error: unknown): string {
  // A name with several addresses gives an error for each, and an empty message.
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}
