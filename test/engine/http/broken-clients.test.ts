import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { exchange, openSocket } from '../../support/http/raw-socket.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterEach(async () => expect((await fetch(`${app.origin}/health/live`)).status).toBe(200))
afterAll(() => app.close())

const tunnel = 'CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n'
const get = (path: string, ...headers: string[]) => [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')

function post(path: string, body: object, ...headers: string[]): string {
  const json = JSON.stringify(body)
  const all = ['Host: x', `Authorization: Bearer ${ada.token}`, 'Content-Type: application/json', ...headers]
  return [`POST ${path} HTTP/1.1`, ...all, `Content-Length: ${json.length}`, '', json].join('\r\n')
}

const statuses = (received: string) => [...received.matchAll(/HTTP\/1\.1 (\d+)/g)].map(([, status]) => Number(status))

test('a client that resets its connection after CONNECT does no harm', async () => {
  const socket = await openSocket(app.origin)
  socket.write(tunnel)
  await once(socket, 'data')
  socket.resetAndDestroy()
  await sleep(100)
})

test('clients that leave while their streams begin do no harm', async () => {
  const subscribe = { query: 'subscription { changes(of: { public: true }) { uuid } }' }
  const before = app.lines.length
  for (let milliseconds = 0; milliseconds < 20; milliseconds += 1) {
    const socket = await openSocket(app.origin)
    socket.write(post('/graphql', subscribe, 'Accept: text/event-stream'))
    await sleep(milliseconds)
    socket.resetAndDestroy()
  }
  const socket = await openSocket(app.origin)
  socket.resume().end(post('/graphql', subscribe, 'Accept: text/event-stream'))
  await once(socket, 'close')
  expect(app.lines.slice(before).filter(({ msg }) => msg === 'unexpected error')).toEqual([])
})

test('clients that leave before their new documents are compiled do no harm', async () => {
  const before = app.lines.length
  const sockets = await Promise.all(Array.from({ length: 20 }, () => openSocket(app.origin)))
  for (const [nth, socket] of sockets.entries())
    socket.resume().end(post('/graphql', { query: `{ viewer { a${nth}: uuid } }` }))
  await Promise.all(sockets.map((socket) => once(socket, 'close')))
  expect(app.lines.slice(before).filter(({ msg }) => msg === 'unexpected error')).toEqual([])
})

test('a connection is closed after CONNECT, also if the client does not close it', async () => {
  const socket = await openSocket(app.origin)
  socket.write(tunnel)
  await once(socket.resume(), 'close')
})

test('a client that pipelines without reading its responses gets all of them once it reads', async () => {
  const socket = await openSocket(app.origin)
  socket.pause()
  const [large, small] = [100, 8]
  socket.write(get('/api/v1/openapi.json').repeat(large))
  await sleep(500)
  const padded = get('/health/live', `X-Pad: ${'p'.repeat(1_500)}`)
  socket.write(padded.repeat(small) + get('/health/live', 'Connection: close'))
  await sleep(500)
  expect(statuses(await text(socket))).toEqual(Array(large + small + 1).fill(200))
})

test('a body is not read while the request waits for a slot', async () => {
  const change = { query: 'mutation { updateProfile(input: { displayName: "Ada" }) { viewer { displayName } } }' }
  const socket = await openSocket(app.origin)
  const megabyte = Buffer.alloc(2 ** 20)
  let sent = 0
  const send = () => {
    if (sent < 64) socket.write(megabyte, (error) => error || (++sent && send()))
  }
  await app.database.write.prisma.$transaction(async (transaction) => {
    await transaction.user.update({ where: { id: ada.id }, data: { bio: 'Held up' } })
    socket.write(post('/graphql', change))
    socket.write(`POST /x HTTP/1.1\r\nHost: x\r\nContent-Length: ${10 ** 11}\r\n\r\n`)
    send()
    await sleep(500)
  })
  // The buffers of the operating system take some.
  expect(sent).toBeLessThan(32)
  socket.destroy()
})

test.each([
  ['garbage', 'no HTTP at all\r\n\r\n'],
  ['an invalid header', `GET / HTTP/1.1\r\nHost: x\r\n: x\r\n\r\n`],
  ['CONNECT', tunnel],
])('a write has its own response when %s follows it in the same packet', async (_what, next) => {
  const socket = await openSocket(app.origin)
  socket.write(post('/api/v1/post', { content: 'Done' }) + next)
  expect(statuses(await text(socket))).toEqual([200, 400])
})

test('a request with more than 100 headers is refused, even if they are short', async () => {
  const request = (count: number) =>
    get('/health/live', ...Array.from({ length: count }, (_, nth) => `a${nth}: b`), 'Connection: close')
  const least = request(0).match(/: /g)?.length ?? 0
  expect(await exchange(app.origin, request(100 - least))).toMatchObject({ status: 200 })
  const refused = await exchange(app.origin, request(101 - least))
  expect(refused.status).toBe(431)
  expect(JSON.parse(refused.body)).toMatchObject({ code: 'HEADERS_TOO_LARGE' })
})
