import { randomBytes } from 'node:crypto'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/engine/data/database.ts'
import type { Opener } from '../../src/engine/data/embedded/embedded-server.ts'
import { createLog, type Log } from '../../src/engine/log.ts'
import { takeEmbeddedDatabase } from './database/embedded-databases.ts'

/** Whether the tests run on a PostgreSQL server rather than on the embedded database. Tests of the latter open it themselves. */
export const onPostgres = process.env.DATABASE_URL !== undefined

/** How many connections a test database on a PostgreSQL server has. */
export const poolSize = 10

/**
 * Creates a migrated, empty database; `close` removes it. At level `trace` the log contains each statement. A server gives it so
 * many connections. As a command opens it, statements may take long.
 */
export async function openTestDatabase(
  log: Log = createLog('silent'),
  size = poolSize,
  opener: Opener = 'server',
): Promise<Database> {
  const template = inject('testTemplate')
  if (template.kind === 'embedded') {
    const { folder, release } = await takeEmbeddedDatabase(template.cluster)
    return removedWith(await openDatabase({ kind: 'embedded', folder, opener: 'command' }, log), release)
  }
  const { url, drop } = await createServerDatabase(template.template)
  return removedWith(await openDatabase({ kind: 'server', url, poolSize: size, opener }, log), drop)
}

function removedWith(database: Database, remove: () => Promise<void>): Database {
  let closing: Promise<void> | undefined
  const close = () => {
    closing ??= database.close().finally(remove)
    return closing
  }
  return { ...database, close }
}

/** Creates a database on the test server, empty or as a copy of a template, with these options. For tests on PostgreSQL only. */
export async function createServerDatabase(
  template = 'template0',
  options = '',
): Promise<{ url: string; drop(): Promise<void> }> {
  const { kind, ...server } = inject('testTemplate')
  if (!('url' in server)) throw new Error(`There is no server: the tests run on a ${kind}.`)
  const name = `${server.prefix}_${randomBytes(6).toString('hex')}`
  await runOnServer(server.url, `CREATE DATABASE ${name} TEMPLATE ${template} ${options}`)
  // The tests commit thousands of times, and no test crashes this server, so commits need not be durable.
  const settings = `REVOKE CONNECT ON DATABASE ${name} FROM PUBLIC; ALTER DATABASE ${name} SET synchronous_commit = off`
  await runOnServer(server.url, settings)
  const url = new URL(server.url)
  url.pathname = name
  return { url: url.href, drop: () => runOnServer(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function runOnServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}
