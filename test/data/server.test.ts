import { createHash } from 'node:crypto'
import { createServer } from 'node:net'
import pg from 'pg'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../src/data/database.ts'
import { migrationsFolder, readMigrations } from '../../src/data/migration-files.ts'
import { createLog } from '../../src/log.ts'
import { createServerDatabase, onPostgres } from '../support/database.ts'
import { portOf } from '../support/port.ts'

const log = createLog('silent')

describe.runIf(onPostgres)('a server', () => {
  let url: string
  let drop: () => Promise<void>
  let databases: Database[]
  beforeEach(async () => {
    databases = []
    ;({ url, drop } = await createServerDatabase())
  })
  afterEach(async () => {
    await Promise.all(databases.map((database) => database.close()))
    await drop()
  })

  async function open(parameters = ''): Promise<Database> {
    const database = await openDatabase(
      { kind: 'server', url: `${url}${parameters}`, poolSize: 2, opener: 'server' },
      log,
    )
    databases.push(database)
    return database
  }

  test('is migrated once by processes that start together', async () => {
    await Promise.all(Array.from({ length: 5 }, () => open()))
    const database = await open()
    expect(database.kind).toBe('server')
    const applied = await database.write.prisma.$queryRaw`
      SELECT migration_name, count(*)::int, bool_and(finished_at IS NOT NULL) AS finished
      FROM _prisma_migrations GROUP BY 1 ORDER BY 1`
    const migrations = await readMigrations(migrationsFolder)
    expect(migrations.length).toBeGreaterThan(1)
    expect(applied).toEqual(migrations.map(({ name }) => ({ migration_name: name, count: 1, finished: true })))
  })

  test('is reachable over a Unix socket', async () => {
    const overTcp = await open()
    const [row] = await overTcp.write.prisma.$queryRaw<{ folder: string }[]>`
      SELECT current_setting('unix_socket_directories') AS folder`
    const folder = row?.folder.split(',')[0] ?? ''
    const { username, pathname } = new URL(url)
    const overSocket = `postgres://${username}@${pathname}?host=${folder}`
    const database = await openDatabase({ kind: 'server', url: overSocket, poolSize: 2, opener: 'server' }, log)
    databases.push(database)
    expect(await database.write.prisma.$queryRaw`SELECT inet_client_addr()::text AS address`).toEqual([
      { address: null },
    ])
  })

  test('prepares statements under the hash of their text, also in a transaction', async () => {
    const database = await open()
    const text = 'SELECT $1::int + 1 AS sum'
    const name = createHash('sha256').update(text).digest('hex').slice(0, 32)
    const prepared = await database.write.prisma.$transaction(async (transaction) => {
      expect(await transaction.$queryRawUnsafe(text, 1)).toEqual([{ sum: 2 }])
      expect(await transaction.$queryRawUnsafe(text, 2)).toEqual([{ sum: 3 }])
      return transaction.$queryRaw`SELECT name FROM pg_prepared_statements WHERE statement = ${text}`
    })
    expect(prepared).toEqual([{ name }])
    expect(await database.write.prisma.$queryRawUnsafe(text, 4)).toEqual([{ sum: 5 }])
  })

  test('has sessions in UTC, whatever the server or the URL sets', async () => {
    const database = await open('?options=-c%20TimeZone%3DAsia%2FTokyo')
    expect(await database.write.prisma.$queryRaw`SELECT current_setting('TimeZone') AS zone`).toEqual([{ zone: 'UTC' }])
  })

  test('limits the duration of a statement', async () => {
    const database = await open()
    expect(await database.write.prisma.$queryRaw`SELECT current_setting('statement_timeout') AS timeout`).toEqual([
      { timeout: '3s' },
    ])
  })

  test('does not limit the duration of statements of commands', async () => {
    const database = await openDatabase({ kind: 'server', url, poolSize: 2, opener: 'command' }, log)
    databases.push(database)
    expect(await database.write.prisma.$queryRaw`SELECT current_setting('statement_timeout') AS timeout`).toEqual([
      { timeout: '0' },
    ])
  })

  test('can close connections without crashing the process', async () => {
    const database = await open()
    await database.ping()
    const admin = new pg.Client({ connectionString: url })
    await admin.connect()
    await admin.query(
      'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND pid <> pg_backend_pid()',
    )
    await admin.end()
    await expect
      .poll(() =>
        database.ping().then(
          () => true,
          () => false,
        ),
      )
      .toBe(true)
  })
})

describe.runIf(onPostgres)('a server that cannot be used', () => {
  test('is refused with one line that does not contain the password', async () => {
    const { url, drop } = await createServerDatabase()
    await drop()
    const missing = new URL(url)
    missing.password = 'secret'
    await expect(
      openDatabase({ kind: 'server', url: missing.href, poolSize: 1, opener: 'server' }, log),
    ).rejects.toThrow(
      /^DATABASE_URL: cannot use postgres(ql)?:\/\/[^:]+:\d+\/rookery_test_\w+: database "rookery_test_\w+" does not exist\. Create .*\.$/,
    )
  })
})

describe('a server that does not respond', () => {
  test('is refused immediately if nothing listens', async () => {
    const url = 'postgres://ada:secret@127.0.0.1:1/rookery'
    await expect(openDatabase({ kind: 'server', url, poolSize: 1, opener: 'server' }, log)).rejects.toThrow(
      'DATABASE_URL: cannot use postgres://ada@127.0.0.1:1/rookery: connect ECONNREFUSED 127.0.0.1:1',
    )
  })

  test('is refused after about 5 seconds if it accepts connections without responding', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const port = portOf(silent)
    const begun = performance.now()
    await expect(
      openDatabase(
        { kind: 'server', url: `postgres://ada:secret@127.0.0.1:${port}/rookery`, poolSize: 1, opener: 'server' },
        log,
      ),
    ).rejects.toThrow(/^DATABASE_URL: cannot use postgres:\/\/ada@127.0.0.1:\d+\/rookery: .*timeout/)
    expect(performance.now() - begun).toBeLessThan(8_000)
    silent.close()
  })
})
