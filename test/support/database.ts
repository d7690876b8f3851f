import { randomBytes } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import pg from 'pg'
import { inject } from 'vitest'
import { type Database, openDatabase } from '../../src/data/database.ts'
import { createLog, type Log } from '../../src/log.ts'

/** Whether the tests run on a PostgreSQL server; otherwise they run on PGlite in memory. */
export const onPostgres = process.env.TEST_DATABASE === 'postgres'

/** A new migrated, empty database of its own; its `close` removes it. At level `trace` the log has each statement. */
export async function openTestDatabase(log: Log = createLog('silent')): Promise<Database> {
  const template = inject('testTemplate')
  if (template.kind === 'dump') {
    return openDatabase({ kind: 'memory', dump: new Blob([await readFile(template.file)]) }, log)
  }
  const { url, drop } = await createServerDatabase(template.template)
  const database = await openDatabase({ kind: 'server', url, poolSize: 10 }, log)
  return {
    ...database,
    close: async () => {
      await database.close()
      await drop()
    },
  }
}

/** A new database on the server of the tests, a copy of a template or without a table; for tests on PostgreSQL only. */
export async function createServerDatabase(template = 'template0'): Promise<{ url: string; drop(): Promise<void> }> {
  const { kind, ...server } = inject('testTemplate')
  if (!('url' in server)) throw new Error(`There is no server: the tests run on a ${kind}.`)
  const name = `${server.prefix}_${randomBytes(6).toString('hex')}`
  await runOnServer(server.url, `CREATE DATABASE ${name} TEMPLATE ${template}`)
  const url = new URL(server.url)
  url.pathname = name
  return { url: url.href, drop: () => runOnServer(server.url, `DROP DATABASE IF EXISTS ${name} WITH (FORCE)`) }
}

async function runOnServer(url: string, sql: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  await client.query(sql).finally(() => client.end())
}
