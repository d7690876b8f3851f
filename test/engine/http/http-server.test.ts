import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { publish } from '../../support/graphql/publish.ts'
import { exchange, openSocket, parseAnswer } from '../../support/http/raw-socket.ts'
import { checkDocumented } from '../../support/rest/documented-answers.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person()
})
afterAll(() => app.close())

const path = '/api/v1/user'
const post = 'POST /api/v1/post HTTP/1.1\r\nHost: x\r\n'

test.each([
  ['no HTTP', 'Hello?\r\n\r\n'],
  ['a header without a name', `GET ${path} HTTP/1.1\r\nHost: x\r\n: nothing\r\n\r\n`],
  ['a length that is no number', `GET ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n`],
  ['two lengths', `GET ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`],
  ['no host', `GET ${path} HTTP/1.1\r\n\r\n`],
  ['an expectation that nobody knows', `GET ${path} HTTP/1.1\r\nHost: x\r\nExpect: rain\r\n\r\n`],
  ['two hosts', `GET ${path} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`],
  ['the same host twice', `GET ${path} HTTP/1.1\r\nHost: x\r\nhOST: x\r\n\r\n`],
  ['two hosts in HTTP/1.0', `GET ${path} HTTP/1.0\r\nHost: x\r\nHost: y\r\n\r\n`],
  ['a host that is none', `GET ${path} HTTP/1.1\r\nHost: x/y\r\n\r\n`],
  ['a host with a user', `GET ${path} HTTP/1.1\r\nHost: user@x\r\n\r\n`],
  ['a target that is only a host', 'GET x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n'],
  ['a target of another scheme', 'GET ftp://x/ HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a target with a user', `GET http://user@x${path} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['a target without a host', `GET http://${path} HTTP/1.1\r\nHost: x\r\n\r\n`],
  ['an asterisk for another method than OPTIONS', 'GET * HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['a tunnel', 'CONNECT x:80 HTTP/1.1\r\nHost: x:80\r\n\r\n'],
  ['a length and chunks', `${post}Content-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['chunks and a length', `${post}Transfer-Encoding: chunked\r\nContent-Length: 1\r\n\r\n0\r\n\r\n`],
  ['the same length twice', `${post}Content-Length: 1\r\nContent-Length: 1\r\n\r\na`],
  ['a list of lengths', `${post}Content-Length: 1, 1\r\n\r\na`],
  ['a length with a sign', `${post}Content-Length: +1\r\n\r\na`],
  ['chunks that are not the last coding', `${post}Transfer-Encoding: chunked, identity\r\n\r\n0\r\n\r\n`],
  ['chunks twice', `${post}Transfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n`],
  ['an unknown coding', `${post}Transfer-Encoding: xchunked\r\n\r\n0\r\n\r\n`],
  ['a space before the colon', `${post}Content-Length : 1\r\n\r\na`],
  ['a folded header', `${post}X-Folded: a\r\n b\r\nContent-Length\r\n : 1\r\n\r\na`],
  ['a chunk whose size is no number', `${post}Transfer-Encoding: chunked\r\n\r\n0x1\r\na\r\n0\r\n\r\n`],
  ['lines that end with a line feed only', `GET ${path} HTTP/1.1\nHost: x\n\n`],
])('%s is refused with the standard error format', async (_what, sent) => {
  const answer = await exchange(app.origin, sent)
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'BAD_REQUEST', status: 400 })
  expect(answer.headers.get('connection')).toBe('close')
  expect(Date.parse(answer.headers.get('date') ?? '')).toBeGreaterThan(Date.now() - 60_000)
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.body)))
  checkDocumented({ method: 'GET', path, ...answer })
})

test('malformed input after a valid request is refused with the standard error format', async () => {
  const first = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`
  const socket = await openSocket(app.origin)
  socket.write(first)
  const [answered] = await once(socket, 'data')
  expect(String(answered)).toMatch(/^HTTP\/1\.1 200 /)
  socket.write('Hello?\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*"code":"BAD_REQUEST"/s)
})

test.each([
  ['two hosts', `GET ${path} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`],
  ['an unknown expectation', `GET ${path} HTTP/1.1\r\nHost: x\r\nExpect: rain\r\n\r\n`],
])('a write that follows a request with %s is not applied', async (what, refused) => {
  const content = JSON.stringify({ content: `After ${what}` })
  const headers = `Authorization: Bearer ${ada.token}\r\nContent-Type: application/json\r\nContent-Length: ${content.length}`
  const answer = await exchange(app.origin, `${refused}${post}${headers}\r\n\r\n${content}`)
  expect(answer.status).toBe(400)
  await setTimeout(200)
  expect(await app.database.write.prisma.publication.count({ where: { content: `After ${what}` } })).toBe(0)
})

test.each([
  ['a malformed target', 400, 'HEAD %ff HTTP/1.1\r\nHost: x\r\n\r\n'],
  ['oversized headers', 431, `HEAD ${path} HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`],
  ['two hosts', 400, `HEAD ${path} HTTP/1.1\r\nHost: x\r\nHost: y\r\n\r\n`],
])('HEAD with %s is refused without a body', async (_what, status, sent) => {
  expect(await exchange(app.origin, sent)).toMatchObject({ status, body: '' })
})

test('a write whose body turns out to be malformed is not applied', async () => {
  const uuid = await publish(app, ada)
  const like = `POST /api/v1/post/${uuid}/like HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\n`
  const answer = await exchange(app.origin, `${like}Transfer-Encoding: chunked\r\n\r\nzz\r\n`)
  expect(answer.status).toBe(400)
  await setTimeout(200)
  expect(await app.database.write.prisma.like.count({ where: { publicationId: uuid } })).toBe(0)
})

test('a request whose body turns out to be malformed after its response gets no other one', async () => {
  const socket = await openSocket(app.origin)
  socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n')
  const [answered] = await once(socket, 'data')
  expect(String(answered)).toMatch(/^HTTP\/1\.1 200 /)
  socket.write('zz\r\n')
  expect(await text(socket)).toBe('')
})

test('a body that begins like a HEAD request leaves the next response its body', async () => {
  const body = 'HEAD / HTTP/1.1'
  const socket = await openSocket(app.origin)
  socket.write(`POST /nothing HTTP/1.1\r\nHost: x\r\nContent-Length: ${body.length}\r\n\r\n`)
  socket.write(`${body}GET / HTTP/1.1\r\nHost: x\r\n: nothing\r\n\r\n`)
  const received = await text(socket)
  expect(parseAnswer(received.slice(received.lastIndexOf('HTTP/1.1 400')))).toMatchObject({
    status: 400,
    body: expect.stringContaining('not valid HTTP'),
  })
})

test.each([
  ['a length', (body: string) => `Content-Length: ${body.length}\r\n\r\n${body}`],
  ['chunks', (body: string) => `Transfer-Encoding: chunked\r\n\r\n${body.length.toString(16)}\r\n${body}\r\n0\r\n\r\n`],
])('what follows a body with %s that asks for an upgrade is read from its beginning', async (_what, withBody) => {
  const [query, hidden] = ['{"query":"{__typename}"}', `GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n`]
  const ask = (body: string, headers: string) =>
    `POST /graphql HTTP/1.1\r\nHost: x\r\n${headers}\r\nContent-Type: application/json\r\n${withBody(body)}`
  const socket = await openSocket(app.origin)
  socket.write(ask(query, 'Connection: Upgrade\r\nUpgrade: h2c') + ask(hidden, 'Connection: close'))
  expect((await text(socket)).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 400'])
})

test('a request without a body that asks for an upgrade gets a normal response, and the connection stays open', async () => {
  const get = (path: string, headers: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n${headers}\r\n`
  const socket = await openSocket(app.origin)
  socket.setNoDelay(true)
  const first = get('/nothing', 'Connection: Upgrade\r\nUpgrade: h2c\r\n')
  // The blank line arrives in two packets.
  socket.write(first.slice(0, -1))
  await setTimeout(50)
  socket.write(first.slice(-1) + get('/health/live', '') + get('/nothing', 'Connection: close\r\n'))
  const statuses = (await text(socket)).match(/HTTP\/1.1 \d+/g)
  expect(statuses).toEqual(['HTTP/1.1 404', 'HTTP/1.1 200', 'HTTP/1.1 404'])
})

test('a connection that ends in the middle of a request behind another one is closed without a refusal', async () => {
  const socket = await openSocket(app.origin)
  const query = JSON.stringify({ query: '{ publicTimeline(first: 100) { nodes { uuid content } } }' })
  const headers = `Host: x\r\nAuthorization: Bearer ${ada.token}\r\nContent-Type: application/json`
  const whole = `POST /graphql HTTP/1.1\r\n${headers}\r\nContent-Length: ${query.length}\r\n\r\n${query}`
  socket.end(`${whole}POST /graphql HTTP/1.1\r\n${headers}\r\nContent-Length: ${query.length}\r\n\r\n{`)
  expect(await text(socket)).not.toContain('HTTP/1.1 400')
})
