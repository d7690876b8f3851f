import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/engine/data/database.ts'
import { withoutPassword } from '../../../src/engine/data/database-url.ts'
import { createLog } from '../../../src/engine/log.ts'
import { ConfigError, readConfig } from '../../../src/server/config.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database/proxy.ts'
import { createServerDatabase, onPostgres } from '../../support/database.ts'

const attribute = 'target_session_attrs'

describe.runIf(onPostgres)('several hosts', () => {
  let proxies: DatabaseProxy[] = []
  let database: Database | undefined
  let drop: () => Promise<void>
  let url: string
  beforeEach(async () => {
    const server = await createServerDatabase()
    drop = server.drop
    proxies = await Promise.all([startDatabaseProxy(server.url), startDatabaseProxy(server.url)])
    const several = new URL(server.url)
    const hosts = proxies.map((proxy) => new URL(proxy.url).host).join(',')
    url = server.url.replace(several.host, hosts).concat(`?${attribute}=read-write`)
  })
  afterEach(async () => {
    await database?.close()
    for (const proxy of proxies) await proxy.close()
    await drop()
  })

  const open = () => openDatabase({ kind: 'server', url, poolSize: 1, opener: 'server' }, createLog('silent'))
  const pid = async (of: Database) => {
    const [row] = await of.write.run({ text: 'SELECT pg_backend_pid()::text AS pid', values: [], lockKey: undefined })
    return row?.pid
  }

  test('are tried in order at the start, and the next one is used when a server goes away', async () => {
    proxies[0]?.hangUp()
    database = await open()
    const opened = database
    expect(await pid(opened)).toMatch(/^\d+$/)
    proxies[0]?.back()
    proxies[1]?.hangUp()
    const answers = () => pid(opened).catch(() => undefined)
    await expect.poll(answers).toMatch(/^\d+$/)
    expect(await opened.write.prisma.user.count()).toBe(0)
  })

  test('are all named if none can be used', async () => {
    for (const proxy of proxies) await proxy.close()
    await expect(open()).rejects.toThrow(
      /^DATABASE_URL: cannot use postgres:\/\/\w+@127\.0\.0\.1:\d+,127\.0\.0\.1:\d+\/\w+: .*ECONNREFUSED.*; .*ECONNREFUSED/,
    )
  })

  test('a connection to a server that became read-only is dropped, also after a transaction', async () => {
    database = await open()
    const fail = `DO $$ BEGIN RAISE read_only_sql_transaction; END $$`
    const first = await pid(database)
    await expect(database.write.run({ text: fail, values: [], lockKey: undefined })).rejects.toThrow()
    const second = await pid(database)
    expect(second).not.toBe(first)
    await expect(database.write.prisma.$transaction((it) => it.$executeRawUnsafe(fail))).rejects.toThrow()
    expect(await pid(database)).not.toBe(second)
  })
})

test('several hosts are printed without the password', () => {
  const { databaseUrl = '' } = readConfig({
    DATABASE_URL: `postgres://ada:se,cret@one,two:5433,[::1]:5434/rookery?sslmode=require&${attribute}=primary`,
  })
  expect(withoutPassword(databaseUrl)).toBe('postgres://ada@one,two:5433,[::1]:5434/rookery')
})

test('a standby cannot be requested', () => {
  const message = `a URL with a ${attribute} of read-write or primary, which mean the same to Rookery`
  expect(() => readConfig({ DATABASE_URL: `postgres://one,two/rookery?${attribute}=standby` })).toThrow(
    new ConfigError(`DATABASE_URL is invalid; it must be ${message}.`),
  )
})
