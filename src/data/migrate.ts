import { randomUUID } from 'node:crypto'
import pg from 'pg'
import type { Log } from '../log.ts'
import { MigrationError, messageOf } from './database-error.ts'
import type { Migration } from './migration-files.ts'
import { checksumOf, hasHistory, pendingMigrations, readHistory, useAnotherSchema } from './migration-history.ts'
import { serverFacts, whyNotMigrated } from './server-facts.ts'
import { isLockTimeout } from './unavailable.ts'

/** The key of Prisma's lock, so that this and `prisma migrate deploy` wait for each other. */
const lockKey = 72707369

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
 * created if it is missing. Throws a `MigrationError` for a history that does not match (see `pendingMigrations`), for a database that
 * contains something else, and for a migration that fails.
 */
export async function migrate(
  client: pg.ClientBase,
  migrations: readonly Migration[],
  log: Log,
  schema = 'public',
): Promise<readonly string[]> {
  const history = await readHistory(client)
  // An unfinished migration may belong to `prisma migrate deploy`, which is then waited for.
  if (history.every(({ finished }) => finished) && pendingMigrations(migrations, history).length === 0) return []
  await client.query('BEGIN')
  try {
    // PgBouncer's sessions have the limits of requests.
    await client.query(`SET LOCAL statement_timeout = 0; SET LOCAL lock_timeout = '60s'`)
    await client.query(`SELECT pg_advisory_xact_lock(${lockKey})`).catch((cause: unknown) => {
      if (!isLockTimeout(cause)) throw cause
      throw new MigrationError('Another process has been migrating the database for a minute.', { cause })
    })
    await client.query('SET LOCAL lock_timeout = 0')
    const pending = pendingMigrations(migrations, await readHistory(client))
    const names = pending.map(({ name }) => name)
    if (pending.length > 0) {
      await prepareHistory(client, schema)
      log.info({ migrations: names, schema }, 'migrating the database')
    }
    for (const migration of pending) await apply(client, migration)
    await client.query('COMMIT')
    return names
  } catch (error) {
    // This also fails on a lost connection; the server then rolls back on its own.
    await client.query('ROLLBACK').catch(() => undefined)
    if (error instanceof MigrationError) throw error
    throw new MigrationError(`The database could not be migrated: ${messageOf(error)}`, { cause: error })
  }
}

async function prepareHistory(client: pg.ClientBase, schema: string): Promise<void> {
  const facts = await serverFacts(client, schema)
  const why = whyNotMigrated(facts)
  if (why) throw new MigrationError(`DATABASE_URL: ${why.problem}`, { advice: why.advice })
  if (!facts.hasSchema) await client.query(`CREATE SCHEMA ${pg.escapeIdentifier(schema)}`)
  if (await hasHistory(client)) return
  if (facts.hasTables) {
    throw new MigrationError(`The database could not be migrated: the schema ${facts.schema} is not empty.`, {
      advice: useAnotherSchema,
    })
  }
  await client.query(historyTable)
}

async function apply(client: pg.ClientBase, { name, script }: Migration): Promise<void> {
  const startedAt = new Date()
  try {
    // Without values, the query uses the simple protocol, which accepts several statements.
    await client.query(script)
  } catch (cause) {
    throw new MigrationError(`The migration ${name} failed, nothing was changed: ${messageOf(cause)}`, { cause })
  }
  await client.query(
    `INSERT INTO _prisma_migrations (id, checksum, migration_name, started_at, finished_at, applied_steps_count)
     VALUES ($1, $2, $3, $4, $5, 1)`,
    [randomUUID(), checksumOf(script), name, startedAt, new Date()],
  )
}
