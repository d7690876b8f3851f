import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../../src/server/config.ts'
import { bundleOf } from '../../../src/server/pages/page.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { sendRaw } from '../../support/http/raw-request.ts'
import { exchange, openSocket, parseAnswer } from '../../support/http/raw-socket.ts'
import { checkDocumented } from '../../support/rest/documented-answers.ts'

const timeouts = { ...readConfig({}).timeouts, headers: 1_500, request: 3_000, idle: 1_500 }

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp({ timeouts, headerSize: 4_096 })
  ada = await app.person()
})
afterAll(() => app.close())

const path = '/api/v1/user'
const start = `GET ${path} HTTP/1.1\r\nHost: x\r\n`
const post = `POST /api/v1/post HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 100\r\n`

// Slow clients wait at the same time.
test.concurrent.each([
  ['a part of the headers', () => start],
  ['a part of the body', () => `${post}Authorization: Bearer ${ada.token}\r\n\r\n{`],
])('a client that sends %s gets 408 and is closed, while others are served', async (_what, sent) => {
  const socket = await openSocket(app.origin)
  socket.write(sent())
  const received = text(socket)
  expect(await app.graphql(ada.token, '{ viewer { username } }')).toMatchObject({ status: 200, errors: [] })
  const answer = parseAnswer(await received)
  expect(answer.status).toBe(408)
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'REQUEST_TIMEOUT', status: 408 })
  expect(answer.headers.get('connection')).toBe('close')
  checkDocumented({ method: 'GET', path, ...answer })
})

// Node.js's fetch would take a response as that to its next request.
test.concurrent.each([
  ['nothing', ''],
  ['only a blank line', '\r\n\r\n'],
])('a connection on which a client sends %s is closed without a response', async (_what, sent) => {
  const socket = await openSocket(app.origin)
  socket.write(sent)
  expect(await text(socket)).toBe('')
})

test.concurrent('a client that sends its body in small pieces gets 408 all the same', async () => {
  const socket = await openSocket(app.origin)
  socket.write(`${post}Authorization: Bearer ${ada.token}\r\n\r\n`)
  const dripping = setInterval(() => socket.write(' '), 100)
  const answer = parseAnswer(await text(socket))
  clearInterval(dripping)
  expect(answer.status).toBe(408)
})

test.concurrent('many clients that send nothing are closed', async () => {
  const sockets = await Promise.all(Array.from({ length: 15 }, () => openSocket(app.origin)))
  await Promise.all(sockets.map((socket) => once(socket.resume(), 'close')))
  expect((await fetch(`${app.origin}/health/live`)).status).toBe(200)
})

test('headers beyond the configured size get 431', async () => {
  const answer = await exchange(app.origin, `${start}X-Long: ${'a'.repeat(5_000)}\r\n\r\n`)
  expect(answer.status).toBe(431)
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'HEADERS_TOO_LARGE', status: 431 })
  checkDocumented({ method: 'GET', path, ...answer })
})

test.each([
  { where: 'without a proxy', trustedProxies: 0, from: (address: string) => ({ from: address }) },
  {
    where: 'behind a proxy',
    trustedProxies: 1,
    from: (address: string) => ({ headers: { 'x-forwarded-for': address } }),
  },
])('$where, an address has a limited number of requests in progress, and others still get one', async (setup) => {
  const { trustedProxies, from } = setup
  const crowded = await startApp({ trustedProxies, requestsPerAddress: 2 })
  const { token } = await crowded.person()
  const flood = '127.0.0.1'
  const unfinished = `${post}Authorization: Bearer ${token}\r\nX-Forwarded-For: ${flood}\r\n\r\n{`
  const sockets = await Promise.all([1, 2].map(() => openSocket(crowded.origin)))
  for (const socket of sockets) socket.write(unfinished)
  const ask = (address: string, path: string) => sendRaw(crowded.origin, { method: 'GET', path, ...from(address) })
  await expect.poll(async () => (await ask(flood, path)).status).toBe(503)
  expect(await ask('127.0.6.1', path)).toMatchObject({ status: 401 })
  expect(await ask(flood, '/health/live')).toMatchObject({ status: 200 })
  const refused = await ask(flood, '/graphql?query={__typename}')
  expect(JSON.parse(refused.body)).toMatchObject({ errors: [{ extensions: { code: 'UNAVAILABLE' } }] })
  for (const socket of sockets) socket.destroy()
  await expect.poll(async () => (await ask(flood, path)).status).toBe(401)
  await crowded.close()
})

test('a client that does not read its response in time is closed', async () => {
  const hasty = await startApp({ timeouts: { ...timeouts, delivery: 100 } })
  const { imports } = await bundleOf('graphiql.tsx')
  const large = imports.find((path) => path.endsWith('/editor.api.js')) ?? ''
  const socket = await openSocket(hasty.origin)
  // 17 MB, in several responses because the system buffers the first.
  socket.pause().write(`GET ${large} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(6))
  // A connection that is not read notices its end when it writes.
  const knocking = setInterval(() => socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'), 20)
  await new Promise((resolve) => socket.on('close', resolve))
  clearInterval(knocking)
  expect((await fetch(`${hasty.origin}/health/live`)).status).toBe(200)
  await hasty.close()
})
