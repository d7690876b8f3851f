import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Database, openDatabase } from '../../../src/engine/data/database.ts'
import { createLog } from '../../../src/engine/log.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { letTimePass } from '../../support/clock.ts'
import { type DatabaseProxy, startDatabaseProxy } from '../../support/database/proxy.ts'
import { createServerDatabase, onPostgres, poolSize } from '../../support/database.ts'
import { eventsOf, type LiveEvent, subscribe, take } from '../../support/graphql/events.ts'

const timeline = '{ publicTimeline { nodes { content author { username } } } }'
const send = 'mutation { sendPost(input: { content: "Hello" }) { publication { content } } }'
const uuid = '"019ab2c4-0000-7000-8000-0000000000ff"'
const writes: [what: string, document: string][] = [
  ['a post', send],
  ['a reply', `mutation { sendReply(input: { parent: ${uuid}, content: "Hello" }) { reply { content } } }`],
  ['an edit', `mutation { updatePost(input: { uuid: ${uuid}, content: "Hello" }) { publication { content } } }`],
  ['a deletion', `mutation { deletePost(input: { uuid: ${uuid} }) { publication { content } } }`],
  ['a toggled like', `mutation { toggleLike(input: { uuid: ${uuid} }) { action } }`],
  ['a toggled follow', `mutation { toggleFollow(input: { uuid: ${uuid} }) { action } }`],
  [
    'a sign-up',
    'mutation { signUp(input: { username: "eve", email: "eve@example.org", password: "correct horse" }) { token } }',
  ],
  ['a profile', 'mutation { updateProfile(input: { bio: "x" }) { viewer { bio } } }'],
  ['a token', 'mutation { createAccessToken(input: { name: "x", scopes: [USER_GET] }) { token } }'],
  ['an application', 'mutation { createApplication(input: { name: "x" }) { application { uuid } } }'],
]
const signIn = 'mutation { signIn(input: { username: "ada", password: "correct horse" }) { token } }'

describe.skipIf(!onPostgres)('while the database is unreachable', () => {
  let app: TestApp
  let proxy: DatabaseProxy
  let drop: () => Promise<void>
  let known: Person
  let unknown: Person
  let streams: AsyncGenerator<LiveEvent>[]
  beforeAll(async () => {
    const database = await createServerDatabase()
    drop = database.drop
    proxy = await startDatabaseProxy(database.url)
    app = await startApp({}, (log) =>
      openDatabase({ kind: 'server', url: proxy.url, poolSize: 4, opener: 'server' }, log),
    )
    known = await app.person()
    unknown = await app.person()
    expect(await app.graphql(known.token, timeline)).toMatchObject({ status: 200, errors: [] })
    streams = await Promise.all(Array.from({ length: 5 }, async () => eventsOf(await subscribe(app, known))))
    proxy.hangUp()
  })
  afterAll(async () => {
    await app.close()
    await proxy.close()
    await drop()
  })

  const unavailable = { status: 503, errors: [{ extensions: { code: 'UNAVAILABLE' } }] }

  test('streams wait, and their checks of tokens do not fill the log', async () => {
    letTimePass()
    await sleep(1_700)
    expect(app.lines.filter(({ msg }) => msg === 'the database is unavailable')).toEqual([])
  })

  test.each([
    ['a read', timeline],
    ['a sign-in', signIn],
    ['a post', send],
  ])('GraphQL refuses %s as unavailable', async (_what, document) => {
    const answer = await app.graphql(known.token, document)
    expect(answer).toMatchObject(unavailable)
    expect(answer.headers.get('retry-after')).toBe('1')
  })

  test('GraphQL refuses tokens that it would have to look up', async () => {
    expect(await app.graphql(unknown.token, timeline)).toMatchObject(unavailable)
  })

  test.each([
    ['a read', 'GET', '/user'],
    ['a write', 'POST', '/post'],
    ['a toggle', 'POST', '/post/019ab2c4-0000-7000-8000-0000000000ff/like'],
  ])('REST refuses %s as unavailable', async (_what, method, path) => {
    const answer = await app.rest(known.token, method, path, method === 'POST' ? { content: 'Hello' } : undefined)
    expect(answer.status).toBe(503)
    expect(answer.headers.get('retry-after')).toBe('1')
    expect(await answer.json()).toMatchObject({ code: 'UNAVAILABLE' })
  })

  test('the server is alive but not ready', async () => {
    expect((await fetch(`${app.origin}/health/live`)).status).toBe(200)
    expect((await fetch(`${app.origin}/health/ready`)).status).toBe(503)
  })

  test('the server continues when the database is back', async () => {
    proxy.back()
    expect(await app.graphql(unknown.token, send)).toMatchObject({ status: 200, errors: [] })
    expect(await app.graphql(known.token, timeline)).toMatchObject({
      status: 200,
      data: { publicTimeline: { nodes: [{ content: 'Hello', author: { username: unknown.username } }] } },
    })
    expect((await fetch(`${app.origin}/health/ready`)).status).toBe(200)
    for (const stream of streams)
      expect(await take(stream, 1)).toMatchObject([{ data: { changes: { publication: { content: 'Hello' } } } }])
    await Promise.all(streams.map((stream) => stream.return(undefined)))
  })
})

describe.skipIf(!onPostgres)('when the database does not respond in time', () => {
  let database: Database
  let proxy: DatabaseProxy
  let drop: () => Promise<void>
  beforeAll(async () => {
    const server = await createServerDatabase()
    drop = server.drop
    proxy = await startDatabaseProxy(server.url)
    const options = { kind: 'server', url: proxy.url, poolSize: 1, opener: 'server' } as const
    database = await openDatabase(options, createLog('silent'))
  })
  afterAll(async () => {
    await database.close()
    await proxy.close()
    await drop()
  })

  const process = () => database.write.run({ text: 'SELECT pg_backend_pid() AS pid', values: [], lockKey: undefined })

  test('its connection is not reused', async () => {
    const before = await process()
    proxy.standStill()
    await expect(process()).rejects.toThrow(/Query read timeout/)
    proxy.goOn()
    expect(await process()).not.toEqual(before)
  })
})

describe.skipIf(!onPostgres)('while the server refuses connections to the database', () => {
  let app: TestApp
  let ada: Person
  beforeAll(async () => {
    const { url, drop } = await createServerDatabase()
    app = await startApp({}, (log) => openDatabase({ kind: 'server', url, poolSize, opener: 'server' }, log))
    ada = await app.person('ada')
    expect(await app.graphql(ada.token, timeline)).toMatchObject({ status: 200, errors: [] })
    await drop()
  })
  afterAll(() => app.close())

  test.each([['a read', timeline], ['a sign-in', signIn], ...writes])(
    '%s is refused as unavailable',
    async (_what, document) => {
      expect(await app.graphql(ada.token, document)).toMatchObject({
        status: 503,
        errors: [{ extensions: { code: 'UNAVAILABLE' } }],
      })
    },
  )
})

describe.skipIf(!onPostgres)('while the database is read-only', () => {
  let app: TestApp
  let drop: () => Promise<void>
  let ada: Person
  beforeAll(async () => {
    const server = await createServerDatabase()
    drop = server.drop
    const options = { kind: 'server', url: server.url, poolSize, opener: 'server' } as const
    app = await startApp({}, (log) => openDatabase(options, log))
    ada = await app.person('ada')
    expect(await app.graphql(ada.token, timeline)).toMatchObject({ status: 200, errors: [] })
    // As on a server that has become a standby.
    const text = `SELECT set_config('default_transaction_read_only', 'on', false), pg_sleep(0.05)`
    await Promise.all(
      Array.from({ length: poolSize }, () => app.database.write.run({ text, values: [], lockKey: undefined })),
    )
  })
  afterAll(async () => {
    await app.close()
    await drop()
  })

  test('reads are served', async () => {
    await expect.poll(async () => (await app.graphql(ada.token, timeline)).status).toBe(200)
  })

  test.each(writes)('%s is refused as unavailable', async (_what, document) => {
    const answer = await app.graphql(ada.token, document)
    expect(answer).toMatchObject({ status: 503, errors: [{ extensions: { code: 'UNAVAILABLE' } }] })
    expect(answer.headers.get('retry-after')).toBe('1')
  })
})
