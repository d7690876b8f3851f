import { execFile } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { Readable } from 'node:stream'
import { promisify } from 'node:util'
import { v7 as newId } from 'uuid'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { follows } from '../../../src/features/base/relations.ts'
import { linesAtOnce } from '../../../src/features/transfer/export.ts'
import { budgets, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { hide, nameOf } from '../../support/database/hide.ts'
import { makeToken, revoke } from '../../support/graphql/access-tokens.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'
import { openSocket } from '../../support/http/raw-socket.ts'
import { askForExport, exportLinesOf, received, wholeLines } from '../../support/rest/exports.ts'

/** As many posts as fill some hundred pages. */
const posts = 20_000

let app: TestApp
let ada: Person
let busy: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  busy = await app.person('busy')
  const post = await publish(app, ada, { content: 'A post with a "quote", a tab\t, 👩‍💻 and #tag' })
  await publish(app, ada, { parent: post })
  for (const other of await people(app, 3)) await setRelation(app, ada, follows, other.id)
  for (let first = 1; first <= posts; first += 1_000)
    await app.database.write.prisma.$executeRaw`
      insert into publications (id, author_id, content)
      select (lpad(to_hex(1760000000000 + n), 12, '0') || '70008000' || lpad(to_hex(n), 12, '0'))::uuid, ${busy.id}::uuid,
        repeat(n || ' ', 80)
      from generate_series(${first}::int, ${first + 999}::int) n`
})
afterAll(() => app.close())

const textOf = async (...asked: Parameters<typeof askForExport>) => (await askForExport(...asked)).text()

test('an export that resumes after any of its lines has the same rest', async () => {
  const whole = await textOf(app, ada)
  const lines = whole.split(/(?<=\n)/)
  expect(lines.length).toBeGreaterThan(8)
  for (const [place, { cursor }] of exportLinesOf(whole).entries())
    expect(await textOf(app, ada, { after: cursor })).toBe(lines.slice(place + 1).join(''))
})

test('its last line says how many lines there are', async () => {
  const lines = exportLinesOf(await textOf(app, busy))
  expect(lines.at(-1)).toMatchObject({ type: 'end', lines: lines.length })
  expect(new Set(lines.map(({ uuid }) => uuid).filter(Boolean)).size).toBe(posts)
  expect(new Set(lines.map(({ cursor }) => cursor)).size).toBe(lines.length)
})

test('what exists throughout is there once, even while more is written', async () => {
  const writer = await app.person()
  const own = Array.from({ length: 3 * linesAtOnce }, () => newId())
  const data = own.map((id) => ({ id, authorId: writer.id, content: 'Old' }))
  await app.database.write.prisma.publication.createMany({ data })
  const response = await askForExport(app, writer)
  const reading = received(response)
  for (let sent = 0; sent < 20; sent += 1) await publish(app, writer)
  const uuids = exportLinesOf((await reading).text).flatMap(({ type, uuid }) => (type === 'publication' ? [uuid] : []))
  expect(uuids.slice(0, own.length)).toEqual(own)
  expect(new Set(uuids).size).toBe(uuids.length)
})

test('a client that stops reading holds no connection, and causes no more reads', async () => {
  const socket = await openSocket(app.origin)
  const statements = await app.statementsOf(async () => {
    socket.pause()
    socket.write(`GET /api/v1/export HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer ${busy.token}\r\n\r\n`)
    await once(socket, 'readable')
    // Other requests still get their connections.
    for (let asked = 0; asked < 30; asked += 1) expect((await app.rest(ada.token, 'GET', '/user')).status).toBe(200)
  })
  socket.destroy()
  const pages = statements.filter((statement) => statement.includes('live_publications') && statement.includes('$2'))
  expect(pages.length).toBeLessThan(posts / linesAtOnce / 2)
})

test('revoking the token cuts a download off, and so does stopping the server', async () => {
  const { token, id } = await makeToken(app, busy.token, { scopes: ['ACCOUNT_EXPORT'] })
  const begun = await askForExport(app, { token })
  const revoked = await received(begun, () => revoke(app, busy.token, id))
  expect(revoked.isWhole).toBe(false)
  expect(revoked.text).not.toContain('"type":"end"')
  const cursor = exportLinesOf(wholeLines(revoked.text)).at(-1)?.cursor ?? ''
  expect(await textOf(app, busy, { after: cursor })).toMatch(/"type":"end","cursor":"[\w-]{36}","lines":\d+}\n$/)

  const other = await startApp({}, sharing(app))
  const cut = await askForExport(other, busy)
  let stopping: Promise<void> | undefined
  const begin = async () => {
    stopping = other.stop()
  }
  expect((await received(cut, begin)).isWhole).toBe(false)
  await stopping
  await other.close()
})

test('a failure closes the connection, so that nobody takes a part for the whole', async () => {
  const begun = await askForExport(app, busy, { headers: { 'accept-encoding': 'gzip' } })
  const { isWhole } = await received(begun, () => hide(app.database, nameOf('table', 'likes')))
  expect(isWhole).toBe(false)
  expect(app.lines.filter(({ msg }) => msg === 'an export was cut off')).toHaveLength(1)
})

test('each page is charged, and waits until the budget has points again', async () => {
  const poor = await startApp({ budgets: budgets({ points: 3_000, seconds: 1 }) }, sharing(app))
  const response = await askForExport(poor, ada)
  expect(response.headers.get('rookery-cost')).toBe('400')
  expect(await response.text()).toBe(await textOf(app, ada))
  await poor.close()
  const spent = await startApp({ budgets: budgets({ points: 1_000, seconds: 3_600 }) }, sharing(app))
  const client = new AbortController()
  const waiting = await askForExport(spent, ada, { signal: client.signal, headers: { 'accept-encoding': 'identity' } })
  const refused = await askForExport(spent, ada)
  expect(refused.status).toBe(429)
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0)
  client.abort()
  expect(waiting.status).toBe(200)
  await spent.close()
})

test('it is compressed, and common clients read it line by line', async () => {
  const response = await askForExport(app, ada, { headers: { 'accept-encoding': 'br' } })
  expect(response.headers.get('content-encoding')).toBe('br')
  const lines: unknown[] = []
  const body = Readable.fromWeb(response.body as import('node:stream/web').ReadableStream)
  for await (const line of createInterface({ input: body })) lines.push(JSON.parse(line))
  const url = new URL('/api/v1/export', app.origin).href
  const { stdout } = await promisify(execFile)('curl', [
    '-sf',
    '--compressed',
    '-H',
    `Authorization: Bearer ${ada.token}`,
    url,
  ])
  expect(exportLinesOf(stdout)).toEqual(lines)
})

test.each(['', 'x', 'A'.repeat(35), 'A'.repeat(36), 'A'.repeat(37), 'Dqh8qgurrISWR7dK1ctRDqh8qgurrISWR7dK', '%00'])(
  'the cursor %j is refused',
  async (after) => {
    const response = await app.rest(ada.token, 'GET', `/export?after=${after}`)
    expect(await response.json()).toMatchObject({ code: 'VALIDATION_FAILED', errors: [{ field: 'after' }] })
  },
)

test('the cursor of another account is refused, so that no client takes it for the end of its export', async () => {
  const bob = await app.person()
  for (const { cursor } of exportLinesOf(await textOf(app, ada))) {
    const response = await app.rest(bob.token, 'GET', `/export?after=${cursor}`)
    expect([response.status, await response.json()]).toMatchObject([422, { errors: [{ field: 'after' }] }])
  }
})
