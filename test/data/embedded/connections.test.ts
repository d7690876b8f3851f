import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { join } from 'node:path'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedServer, openEmbedded } from '../../../src/data/embedded/embedded-server.ts'
import { prebuiltCluster } from '../../../src/data/embedded/prebuilt-cluster.ts'
import { message, query, startup, sync } from '../../../src/data/embedded/wire.ts'
import { migrationsFolder, readMigrations } from '../../../src/data/migration-files.ts'
import { createLog } from '../../../src/log.ts'
import { createFolder } from '../../support/database.ts'

const patiently = { interval: 10, timeout: 60_000 }

describe('the socket of an embedded database', { timeout: 120_000 }, () => {
  const { folder, remove } = createFolder()
  let server: EmbeddedServer
  const clients: pg.Client[] = []
  beforeAll(async () => {
    const prebuilt = prebuiltCluster(await readMigrations(migrationsFolder))
    server = await openEmbedded({ folder, opener: 'server', prebuilt, longestHold: 3_000 }, createLog('silent'))
    const client = await connected()
    await client.query('CREATE TABLE notes (text text)')
  })
  afterEach(async () => {
    await Promise.all(clients.splice(0).map((client) => client.end()))
  })
  afterAll(async () => {
    await server.close()
    await remove()
  })

  async function connected(config: pg.ClientConfig = {}): Promise<pg.Client> {
    const client = new pg.Client({ ...server.connection, ...config })
    client.on('error', () => undefined)
    await client.connect()
    clients.push(client)
    return client
  }

  const notes = async (client: pg.Client) => (await client.query('SELECT text FROM notes')).rows

  /** A connection without a driver: sends bytes, and resolves with the response up to the next `ReadyForQuery`. */
  async function raw() {
    const socket: Socket = connect(join(folder, '.s.PGSQL.5432'))
    let received = Buffer.alloc(0)
    socket.on('data', (chunk) => {
      received = Buffer.concat([received, chunk])
    })
    const types = () => {
      const found: string[] = []
      for (let at = 0; at + 5 <= received.length; at += 1 + received.readUInt32BE(at + 1))
        found.push(received.toString('latin1', at, at + 1))
      return found.join('')
    }
    const send = async (bytes: Buffer, until = 'Z') => {
      received = Buffer.alloc(0)
      socket.write(bytes)
      await expect.poll(types, patiently).toMatch(new RegExp(`${until}$`))
      return { types: types(), text: received.toString('latin1') }
    }
    await send(startup())
    return { send, socket }
  }

  const parse = (sql: string) => message('P', `\0${sql}\0\0\0`)
  const bind = message('B', Buffer.alloc(8))
  const execute = message('E', Buffer.alloc(5))
  const flush = message('H')

  test('isolates the prepared statements of each connection', async () => {
    const [one, other] = [await connected(), await connected()]
    const named = (client: pg.Client, text: string) => client.query({ name: 'same', text, values: [] })
    expect((await named(one, 'SELECT 1 AS value')).rows).toEqual([{ value: 1 }])
    expect((await named(other, 'SELECT 2 AS value')).rows).toEqual([{ value: 2 }])
    expect((await named(one, 'SELECT 1 AS value')).rows).toEqual([{ value: 1 }])
  })

  test('removes the prepared statements of a closed connection', async () => {
    const count = async (client: pg.Client) =>
      (await client.query('SELECT count(*)::int AS value FROM pg_prepared_statements')).rows
    const staying = await connected()
    const [before] = await count(staying)
    const leaving = await connected()
    await leaving.query({ name: 'mine', text: 'SELECT 1', values: [] })
    expect(await count(staying)).toEqual([{ value: before.value + 1 }])
    await leaving.end()
    await expect.poll(() => count(staying), patiently).toEqual([before])
  })

  test('keeps the unnamed statement of each connection', async () => {
    const [one, other] = [await raw(), await raw()]
    expect((await one.send(Buffer.concat([parse(`SELECT 'one'`), sync]))).types).toBe('1Z')
    expect((await other.send(Buffer.concat([parse(`SELECT 'other'`), bind, execute, sync]))).text).toContain('other')
    const answer = await one.send(Buffer.concat([bind, execute, sync]))
    expect(answer.types).toBe('2DCZ')
    expect(answer.text).toContain('one')
    for (const { socket } of [one, other]) socket.destroy()
  })

  test('responds before a flush, and after an error skips to the next sync', async () => {
    const { send, socket } = await raw()
    const begun = await send(Buffer.concat([parse('SELECT 1'), bind, execute, flush]), 'C')
    expect(begun.types).toBe('12DC')
    expect((await send(sync)).types).toBe('Z')
    expect((await send(Buffer.concat([parse('SELEC 1'), bind, flush]), 'E')).types).toBe('E')
    expect((await send(Buffer.concat([bind, execute, sync]))).types).toBe('Z')
    expect((await send(query('SELECT 3'))).types).toBe('TDCZ')
    socket.destroy()
  })

  test('runs pipelined statements in order and continues after a failed one', async () => {
    const { send, socket } = await raw()
    const one = (sql: string) => Buffer.concat([parse(sql), bind, execute, sync])
    const { types } = await send(Buffer.concat([one('SELECT 1'), one('SELEC'), one('SELECT 2')]), 'EZ12DCZ')
    expect(types).toBe('12DCZEZ12DCZ')
    expect((await send(query('SELECT 3'))).types).toBe('TDCZ')
    socket.destroy()
  })

  test('isolates a transaction from other connections, which wait for it', async () => {
    const [one, other] = [await connected(), await connected()]
    await one.query('BEGIN')
    await one.query(`INSERT INTO notes VALUES ('in a transaction')`)
    const read = notes(other)
    await one.query('ROLLBACK')
    expect(await read).toEqual([])
  })

  test('rolls back the transaction of a lost connection', async () => {
    const [{ send, socket }, other] = [await raw(), await connected()]
    await send(query(`BEGIN; INSERT INTO notes VALUES ('of a dead one')`))
    const read = notes(other)
    socket.destroy()
    expect(await read).toEqual([])
  })

  test('handles a large statement and a large row', async () => {
    const client = await connected()
    const text = 'x'.repeat(5_000_000)
    const { rows } = await client.query('SELECT $1::text AS text', [text])
    expect(rows[0].text === text).toBe(true)
  })

  test('refuses COPY FROM STDIN, which would crash the database', async () => {
    const client = await connected()
    for (const text of [
      'COPY notes FROM STDIN',
      ' copy\nnotes (text) from stdin with (format csv)',
      '/* */ SELECT 1; COPY notes FROM STDIN',
    ])
      await expect(client.query(text)).rejects.toMatchObject({ code: '0A000' })
    expect(await notes(client)).toEqual([])
  })

  test.each([
    ['a message that is too long', Buffer.from([0x51, 0x7f, 0xff, 0xff, 0xff, 0])],
    ['a length that is too short', Buffer.from([0x51, 0, 0, 0, 0])],
    ['a type that there is not', Buffer.concat([message('z', 'x'), sync])],
    ['an answer to a password that nobody asked for', Buffer.concat([message('p', 'x'), sync])],
  ])('refuses %s and keeps serving other connections', async (_what, bytes) => {
    const { socket } = await raw()
    socket.write(bytes)
    await expect.poll(() => socket.destroyed, patiently).toBe(true)
    expect(await notes(await connected())).toEqual([])
  })

  test('refuses connections above the limit, except its own', async () => {
    const many = await Promise.allSettled(Array.from({ length: 50 }, () => connected()))
    const refused = many.filter(({ status }) => status === 'rejected')
    expect(refused.length).toBeGreaterThanOrEqual(9)
    for (const result of refused) expect(result).toMatchObject({ reason: { code: '53300' } })
    expect(await notes(await connected({ application_name: 'rookery' }))).toEqual([])
  })

  test('stops running statements of a client that does not read its responses', async () => {
    const { socket } = await raw()
    socket.pause()
    const before = process.memoryUsage().rss
    const one = query(`SELECT repeat('x', 1000000)`)
    socket.write(Buffer.concat(Array.from({ length: 1_000 }, () => one)))
    const others = await Promise.all(Array.from({ length: 20 }, async () => notes(await connected())))
    expect(others).toEqual(Array.from({ length: 20 }, () => []))
    expect(process.memoryUsage().rss - before).toBeLessThan(300_000_000)
    socket.destroy()
  })

  test('isolates session settings between clients and restores them for each turn', async () => {
    const [one, other] = [await connected(), await connected()]
    const path = async (client: pg.Client) => (await client.query('SHOW search_path')).rows[0].search_path
    await one.query(`SET search_path = ''; SET ROLE pg_monitor; SET enable_bitmapscan = on`)
    expect(await path(other)).toBe('public')
    expect((await other.query('SELECT current_user, current_setting($1)', ['enable_bitmapscan'])).rows).toEqual([
      { current_user: 'postgres', current_setting: 'off' },
    ])
    expect(await path(one)).toBe('""')
    expect((await one.query('SELECT current_user')).rows).toEqual([{ current_user: 'pg_monitor' }])
    await one.end()
    expect(await notes(other)).toEqual([])
    clients.splice(clients.indexOf(one), 1)
  })

  test('ends a transaction that keeps others waiting', async () => {
    const [{ send, socket }, other] = [await raw(), await connected()]
    await send(query(`BEGIN; INSERT INTO notes VALUES ('never committed')`))
    expect(await notes(other)).toEqual([])
    await expect.poll(() => socket.destroyed, patiently).toBe(true)
  })

  test.runIf(existsSync('/usr/bin/psql'))('accepts psql connections by the folder', () => {
    const { stdout, stderr } = spawnSync('psql', ['-h', folder, '-Atc', 'SELECT 1 + 1'], { encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: '2\n', stderr: '' })
  })
})
