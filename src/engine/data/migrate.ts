import { randomUUID } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import pg from 'pg'
import type { Log } from '../log.ts'
import { MigrationError, messageOf } from './database-error.ts'
import type { Migration } from './migration-files.ts'
import { checksumOf, hasHistory, pendingMigrations, readHistory } from './migration-history.ts'
import { schemaProblems } from './schema-problems.ts'
import { isLockTimeout } from './unavailable.ts'

/** The key of Prisma's lock, so that this and `prisma migrate deploy` wait for each other. */
const lockKey = 72707369

/** For how long a process waits while another one migrates the database, in seconds. */
const waitForOther = 60

/**
 * A migration waits for a lock for half a second, since whoever reads the table then waits behind it, and is tried again a second
 * later.
 */
const lockTimeout = '500ms'
const retryPause = 1_000

/** How many times a migration is tried whose locks are not free: for a minute and a half. */
const defaultAttempts = 60

/** The table of Prisma, in which both record what they applied. */
const historyTable = `
  CREATE TABLE _prisma_migrations (
    id VARCHAR(36) PRIMARY KEY NOT NULL,
    checksum VARCHAR(64) NOT NULL,
    finished_at TIMESTAMPTZ,
    migration_name VARCHAR(255) NOT NULL,
    logs TEXT,
    rolled_back_at TIMESTAMPTZ,
    started_at TIMESTAMPTZ NOT NULL DEFAULT now(),
    applied_steps_count INTEGER NOT NULL DEFAULT 0)`

/**
 * Applies the pending migrations on a connection without time limits and returns their names. All of them run in one transaction,
 * so a failure or a killed process changes nothing. If none is pending, this only reads. The connection works in the schema, which is
 * created if it is missing. A transaction that cannot lock a table in half a second is repeated, so that readers wait no longer either.
 * Throws a `MigrationError` for a history that does not match (see `pendingMigrations`), for a database that contains something else, and
 * for a migration that fails, or whose locks are not free after so many attempts.
 */
export async function migrate(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  log: Log,
  schema = 'public',
  attempts = defaultAttempts,
): Promise<readonly string[]> {
  const history = await readHistory(client)
  // An unfinished migration may belong to `prisma migrate deploy`, which is then waited for.
  if (history.every(({ finished }) => finished) && pendingMigrations(migrations, history).length === 0) return []
  for (let attempt = 1; ; attempt += 1) {
    try {
      return await applyPending(client, migrations, log, schema)
    } catch (error) {
      // This also fails on a lost connection; the server then rolls back on its own.
      await client.query('ROLLBACK').catch(() => undefined)
      if (!(error instanceof MigrationError))
        throw new MigrationError(`The database could not be migrated: ${messageOf(error)}`, { cause: error })
      if (!(error instanceof LockedTable) || attempt === attempts) throw error
      log.info({ attempt }, 'a migration waits for a table that is in use')
      await sleep(retryPause)
    }
  }
}

/** A migration that could not lock what it changes. */
class LockedTable extends MigrationError {}

/** Applies the pending migrations in one transaction, which the caller rolls back if this throws. */
async function applyPending(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  log: Log,
  schema: string,
): Promise<readonly string[]> {
  // PgBouncer's sessions have the limits of requests.
  await client.query(`BEGIN; SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '${waitForOther}s'`)
  await client.query(`SELECT pg_advisory_xact_lock(${lockKey})`).catch((cause: unknown) => {
    if (!isLockTimeout(cause)) throw cause
    throw new MigrationError('Another process has been migrating the database for a minute.', { cause })
  })
  await client.query(`SET LOCAL lock_timeout = '${lockTimeout}'`)
  const pending = pendingMigrations(migrations, await readHistory(client))
  const names = pending.map(({ name }) => name)
  if (pending.length > 0) {
    await prepareHistory(client, schema)
    log.info({ migrations: names, schema }, 'migrating the database')
  }
  for (const migration of pending) await apply(client, migration)
  await client.query('COMMIT')
  return names
}

async function prepareHistory(client: pg.ClientBase, schema: string): Promise<void> {
  const [schemaProblem] = (await schemaProblems(client, schema)).filter(({ migrations }) => migrations)
  if (schemaProblem)
    throw new MigrationError(`DATABASE_URL: ${schemaProblem.problem}`, { advice: schemaProblem.advice })
  const { rowCount } = await client.query('SELECT FROM pg_namespace WHERE nspname = $1', [schema])
  if (rowCount === 0) await client.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}`)
  if (await hasHistory(client)) return
  await client.query(historyTable)
}

async function apply(client: pg.ClientBase, { name, script }: Migration): Promise<void> {
  const startedAt = new Date()
  try {
    // Without values, the query uses the simple protocol, which accepts several statements.
    await client.query(script)
  } catch (cause) {
    if (isLockTimeout(cause))
      throw new LockedTable(`The migration ${name} could not lock what it changes, nothing was changed.`, {
        advice: 'Wait for backups and other long transactions, or end them, and try again.',
        cause,
      })
    throw new MigrationError(`The migration ${name} failed, nothing was changed: ${messageOf(cause)}`, { cause })
  }
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, $4, $5, 1)`,
    [randomUUID(), checksumOf(script), name, startedAt, new Date()],
  )
}
