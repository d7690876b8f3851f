import { once } from 'node:events'
import { createServer } from 'node:net'
import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/engine/data/database.ts'
import { migrationsFolder, readMigrations } from '../../../src/engine/data/migration-files.ts'
import { createLog } from '../../../src/engine/log.ts'
import { createServerDatabase, onPostgres } from '../../support/database.ts'
import { portOf } from '../../support/http/port.ts'

const log = createLog('silent')
const usual = { kind: 'server', poolSize: 2, opener: 'server' } as const

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
    const database = await openDatabase({ ...usual, url: `${url}${parameters}` }, log)
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
    expect(applied).toEqual(migrations.map(({ name }) => ({ migration_name: name, count: 1, finished: true })))
  })

  test('is reachable over a Unix socket, which is never encrypted', async () => {
    const overTcp = await open()
    const setting = "SELECT current_setting('unix_socket_directories') AS folder"
    const [row] = await overTcp.runReserved<{ folder: string }>(setting, [])
    const folder = row?.folder.split(',')[0] ?? ''
    const { username, pathname } = new URL(url)
    const overSocket = `postgres://${username}@${pathname}?host=${folder}&sslmode=require`
    const database = await openDatabase({ ...usual, url: overSocket }, log)
    databases.push(database)
    expect(await database.write.prisma.$queryRaw`SELECT inet_client_addr()::text AS address`).toEqual([
      { address: null },
    ])
  })

  test('has sessions in UTC, whatever the server or the URL sets', async () => {
    const database = await open('?options=-c%20TimeZone%3DAsia%2FTokyo')
    expect(await database.write.prisma.$queryRaw`SELECT current_setting('TimeZone') AS zone`).toEqual([{ zone: 'UTC' }])
  })

  test.each([
    ['requests', 'server', '3s'],
    ['commands', 'command', '0'],
  ] as const)('limits the duration of statements of %s: %s, %s', async (_what, opener, timeout) => {
    const database = await openDatabase({ ...usual, url, opener }, log)
    databases.push(database)
    const setting = await database.write.prisma.$queryRaw`SELECT current_setting('statement_timeout') AS timeout`
    expect(setting).toEqual([{ timeout }])
  })
})

test.runIf(onPostgres)('a missing database is reported in one line without the password', async () => {
  const { url, drop } = await createServerDatabase()
  await drop()
  const missing = new URL(url)
  missing.password = 'secret'
  await expect(openDatabase({ ...usual, url: missing.href }, log)).rejects.toThrow(
    /^DATABASE_URL: cannot use postgres(ql)?:\/\/[^:]+:\d+\/rookery_test_\w+: database "rookery_test_\w+" does not exist\. Create .*\.$/,
  )
})

describe('a server that does not respond', () => {
  test('is refused immediately if nothing listens', async () => {
    const url = 'postgres://ada:secret@127.0.0.1:1/rookery'
    await expect(openDatabase({ ...usual, url }, log)).rejects.toThrow(
      'DATABASE_URL: cannot use postgres://ada@127.0.0.1:1/rookery: connect ECONNREFUSED 127.0.0.1:1',
    )
  })

  const asks = '\0\0\0\x0aSCRAM-SHA-256\0\0'
  const goesOn = '\0\0\0\x0br=x'
  test.each([
    ['a missing password', [`R${asks}`, `R${goesOn}`], 'Add the password to DATABASE_URL.'],
    ['a plain connection', ['ESFATAL\0C28000\0Mno encryption\0\0'], 'add ?sslmode=verify-full to DATABASE_URL.'],
  ])('is refused for %s with advice', async (_what, messages, advice) => {
    const answers = messages.values()
    const server = createServer((socket) => {
      socket.on('data', () => {
        const [type = '', ...content] = answers.next().value ?? ''
        socket.write([type, '\0\0\0', String.fromCharCode(content.length + 4), ...content].join(''))
      })
    }).listen(0, '127.0.0.1')
    await once(server, 'listening')
    const url = `postgres://ada@127.0.0.1:${portOf(server)}/rookery`
    await expect(openDatabase({ ...usual, url }, log)).rejects.toThrow(advice)
    server.close()
  })

  test('is refused after about 5 seconds if it accepts connections without responding', async () => {
    const silent = createServer().listen(0, '127.0.0.1')
    await new Promise((resolve) => silent.once('listening', resolve))
    const port = portOf(silent)
    const begun = performance.now()
    const url = `postgres://ada:secret@127.0.0.1:${port}/rookery`
    await expect(openDatabase({ ...usual, url }, log)).rejects.toThrow(
      /^DATABASE_URL: cannot use postgres:\/\/ada@127.0.0.1:\d+\/rookery: .*timeout/,
    )
    expect(performance.now() - begun).toBeLessThan(8_000)
    silent.close()
  })
})
