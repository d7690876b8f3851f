import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { text } from 'node:stream/consumers'
import pg from 'pg'
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest'
import { type EmbeddedServer, openEmbedded } from '../../../../src/engine/data/embedded/embedded-server.ts'
import { prebuiltCluster } from '../../../../src/engine/data/embedded/folder.ts'
import { migrationsFolder, readMigrations } from '../../../../src/engine/data/migration-files.ts'
import { createLog } from '../../../../src/engine/log.ts'
import { createFolder } from '../../../support/folder.ts'

const patiently = { interval: 10, timeout: 60_000 }
const module = new URL('../../../../dist/engine/data/embedded/embedded-server.js', import.meta.url).href

describe('the socket of an embedded database', { timeout: 120_000 }, () => {
  const { folder, remove } = createFolder()
  let server: EmbeddedServer
  const clients: pg.Client[] = []
  beforeAll(async () => {
    const prebuilt = prebuiltCluster(await readMigrations(migrationsFolder))
    server = await openEmbedded({ folder, opener: 'server', prebuilt }, createLog('silent'))
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

  async function connected(): Promise<pg.Client> {
    const client = new pg.Client(server.connection)
    client.on('error', () => undefined)
    await client.connect()
    clients.push(client)
    return client
  }

  const notes = async (client: pg.Client) => (await client.query('SELECT text FROM notes')).rows

  test('gives each of many connections the results of its own statements', async () => {
    const large = 'x'.repeat(300_000)
    const texts = [
      'SELECT $1::text AS value',
      'SELECT 1 AS other, $1::text AS value',
      'SELECT $1::text AS value, 2 AS other',
    ]
    const works = texts.flatMap((text) => [
      async (client: pg.Client, value: string) => client.query(text, [value]),
      async (client: pg.Client, value: string) => client.query({ name: 'same', text, values: [value] }),
      async (client: pg.Client, value: string) => {
        await client.query('BEGIN')
        const result = await client.query(text, [value])
        await client.query('ROLLBACK')
        return result
      },
      async (client: pg.Client, value: string) => {
        await expect(client.query(`${text} WHERE 1 / $2::int = 1`, [large, 0])).rejects.toMatchObject({ code: '22012' })
        return client.query(text, [value])
      },
    ])
    const running = works.map(async (work, nth) => {
      const client = await connected()
      for (let round = 0; round < 20; round += 1) {
        const value = `${nth} ${round} ${round % 4 === 0 ? large : ''}`
        const { rows } = await work(client, value)
        expect(rows[0].value === value, value.slice(0, 8)).toBe(true)
      }
    })
    await Promise.all(running)
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

  test('isolates a transaction from other connections, which wait for it', async () => {
    const [one, other] = [await connected(), await connected()]
    await one.query('BEGIN')
    await one.query(`INSERT INTO notes VALUES ('in a transaction')`)
    const read = notes(other)
    await one.query('ROLLBACK')
    expect(await read).toEqual([])
  })

  test.each(['SELECT 1', 'SELEC 1'])('rolls back the transaction of a lost connection after %s', async (sql) => {
    const [lost, other] = [await connected(), await connected()]
    await lost.query(`BEGIN; INSERT INTO notes VALUES ('of a lost one')`)
    await lost.query(sql).catch(() => undefined)
    const read = notes(other)
    lost.connection.stream.destroy()
    expect(await read).toEqual([])
  })

  test('runs checkpoints that limit its write-ahead log', async () => {
    const client = await connected()
    const lastCheckpoint = async () => (await client.query('SELECT redo_lsn FROM pg_control_checkpoint()')).rows
    const before = await lastCheckpoint()
    // Writes twelve segments of 16 MiB.
    await client.query(`SELECT pg_logical_emit_message(true, '', repeat('x', 1000000)) FROM generate_series(1, 200)`)
    await expect.poll(lastCheckpoint, patiently).not.toEqual(before)
    const segments = `SELECT count(*)::int FROM pg_ls_waldir() WHERE name ~ '^[0-9A-F]{24}$'`
    expect((await client.query(segments)).rows[0].count).toBeLessThan(10)
  })

  test.runIf(existsSync('/usr/bin/psql'))('accepts psql connections by the folder', () => {
    const { stdout, stderr } = spawnSync('psql', ['-h', folder, '-Atc', 'SELECT 1 + 1'], { encoding: 'utf8' })
    expect({ stdout, stderr }).toEqual({ stdout: '2\n', stderr: '' })
  })
})

describe('a process with an embedded database', { timeout: 120_000 }, () => {
  const { folder, remove } = createFolder()
  afterAll(remove)

  test('ends with a message when its thread ends', async () => {
    // PGlite cannot read the data and aborts.
    const sql = 'CREATE TABLE notes (); COPY notes FROM STDIN'
    const prebuilt = prebuiltCluster(await readMigrations(migrationsFolder))
    const source = `
      async function run(options, sql) {
        const [pg, { pino }, { openEmbedded }] = await Promise.all(['pg', 'pino', '${module}'].map((it) => import(it)))
        const { connection } = await openEmbedded(options, pino())
        const client = new pg.default.Client(connection)
        client.on('error', () => undefined)
        await client.connect()
        await client.query(sql).catch(() => undefined)
      }
      run(${JSON.stringify({ folder, opener: 'server', prebuilt })}, '${sql}')`
    const child = spawn(process.execPath, ['--liftoff-only', '--eval', source], {
      stdio: ['ignore', 'pipe', 'inherit'],
    })
    const [output, [code]] = await Promise.all([text(child.stdout), once(child, 'close')])
    expect(output).toContain('the embedded database ended')
    expect(code).toBe(4)
  })
})
