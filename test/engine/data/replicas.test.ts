import { afterEach, beforeEach, describe, expect, test } from 'vitest'
import { openDatabase } from '../../../src/engine/data/database.ts'
import { ConfigError, readConfig } from '../../../src/server/config.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { createServerDatabase, onPostgres, poolSize } from '../../support/database.ts'
import { publish } from '../../support/graphql/publish.ts'

const url = (host: string) => `postgres://ada:secret@${host}/rookery`

describe('DATABASE_REPLICA_URLS', () => {
  const read = (urls: string, primary: string | undefined = url('db1')) =>
    readConfig({ DATABASE_URL: primary, DATABASE_REPLICA_URLS: urls })

  test('are separated by spaces', () => {
    expect(read(` ${url('db2')}  ${url('db3')}\n`).databaseReplicaUrls).toEqual([url('db2'), url('db3')])
    expect(read(' ').databaseReplicaUrls).toEqual([])
  })

  test.each([
    [
      `${url('db2')},${url('db3')}`,
      'a URL such as postgres://user:password@host:5432/name, percent-encoded (%2F for / and so on)',
    ],
    [url('db2,db3'), 'URLs with one host each'],
    [
      `${url('db2')}?sslmode=on`,
      'a URL with an sslmode of disable, allow, prefer, require, verify-ca, verify-full, no-verify',
    ],
  ])('%s is refused without printing it', (urls, expected) => {
    expect(() => read(urls)).toThrow(new ConfigError(`DATABASE_REPLICA_URLS is invalid; it must be ${expected}.`))
  })

  test('need a primary server', () => {
    expect(() => readConfig({ DATABASE_REPLICA_URLS: url('db2') })).toThrow(
      new ConfigError('DATABASE_REPLICA_URLS is invalid; it must be unset without DATABASE_URL.'),
    )
  })
})

describe.runIf(onPostgres)('a process without a usable replica', () => {
  let app: TestApp
  let ada: Person
  let drop: () => Promise<void>
  let replicaUrls: readonly string[]
  beforeEach(async () => {
    const server = await createServerDatabase()
    drop = server.drop
    const other = new URL(server.url)
    other.pathname = 'postgres'
    replicaUrls = [server.url, other.href, 'postgres://ada:secret@127.0.0.1:1/x']
    const options = { kind: 'server', url: server.url, poolSize, opener: 'server', replicaUrls } as const
    app = await startApp({}, (log) => openDatabase(options, log))
    ada = await app.person('ada')
  })
  afterEach(async () => {
    await app.close()
    await drop()
  })

  test('leaves them out with one warning each, and reads from the primary', async () => {
    const left = () =>
      app.lines.flatMap(({ msg, level, reason }) => (msg.includes('left out') ? [{ level, reason }] : []))
    const reasons = ['it has another database', 'it is not a standby', expect.stringContaining('ECONNREFUSED')]
    await expect.poll(() => left().length).toBe(reasons.length)
    expect(left()).toEqual(expect.arrayContaining(reasons.map((reason) => ({ level: 40, reason }))))
    expect(JSON.stringify(app.lines)).not.toContain('secret')
    const uuid = await publish(app, ada)
    expect((await app.rest(ada.token, 'GET', `/post/${uuid}`)).status).toBe(200)
  })

  test('returns the position of each write', async () => {
    const positions: string[] = []
    const note = ({ headers }: Pick<Response, 'headers'>) => positions.push(headers.get('rookery-position') ?? '')
    note(await app.rest(ada.token, 'POST', '/post', { content: 'hello' }))
    note(await app.graphql(ada.token, 'mutation { sendPost(input: { content: "hello" }) { publication { uuid } } }'))
    const headers = { 'idempotency-key': 'once' }
    for (let times = 0; times < 2; times += 1)
      note(await app.rest(ada.token, 'POST', '/post', { content: 'hello' }, headers))
    for (const position of positions) expect(position).toMatch(/^[0-9a-f]{16}$/)
    expect(positions).toEqual(positions.toSorted())
    expect((await app.rest(ada.token, 'GET', '/user')).headers.has('rookery-position')).toBe(false)
  })

  test('shares the statement of the position between writes', async () => {
    const statements = await app.statementsOf(() =>
      Promise.all(Array.from({ length: 8 }, () => app.rest(ada.token, 'POST', '/post', { content: 'hello' }))),
    )
    const asked = statements.filter((text) => text.includes('pg_current_wal_insert_lsn'))
    expect(asked.length).toBeGreaterThan(0)
    expect(asked.length).toBeLessThan(8)
  })

  test('measures their connections', () => {
    expect(Object.keys(app.database.resources.pools)).toEqual([
      'requests',
      'reserved',
      'replica0',
      'replica1',
      'replica2',
    ])
  })
})
