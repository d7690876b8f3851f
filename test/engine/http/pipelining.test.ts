import { once } from 'node:events'
import type { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Client } from '../../../src/engine/data/client.ts'
import { readConfig } from '../../../src/server/config.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { heldUp, liftLockLimit } from '../../support/database/locks.ts'
import { serve } from '../../support/http/bare-server.ts'
import { openSocket } from '../../support/http/raw-socket.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

const crlf = '\r\n'

function request(method: string, path: string, body = '', headers: Record<string, string> = {}): string {
  const all = { host: 'x', authorization: `Bearer ${ada.token}`, 'content-length': String(body.length), ...headers }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`${method} ${path} HTTP/1.1`, ...lines, '', body].join(crlf)
}

const post = (query: string, headers: Record<string, string> = {}) =>
  request('POST', '/graphql', JSON.stringify({ query }), { 'content-type': 'application/json', ...headers })

/** The bodies of the responses that a socket receives until the server closes it. */
async function bodies(socket: Socket): Promise<string[]> {
  const received: Buffer[] = []
  for await (const chunk of socket) received.push(chunk)
  const answers = Buffer.concat(received).toString().split('HTTP/1.1 200 OK').slice(1)
  return answers.map((answer) => answer.slice(answer.indexOf(crlf + crlf) + 4))
}

/** Blocks writes to ada's row. */
const holdAda = (transaction: Client) => transaction.user.update({ where: { id: ada.id }, data: { bio: 'Held up' } })
const changeAda = () => post('mutation { updateProfile(input: { displayName: "Ada" }) { viewer { displayName } } }')
const changed = { data: { updateProfile: { viewer: { displayName: 'Ada' } } } }

test('a thousand requests in one write all get responses, in order', async () => {
  const socket = await openSocket(app.origin)
  const aliases = Array.from({ length: 1000 }, (_, at) => `a${at}`)
  const last = { connection: 'close' }
  socket.write(aliases.map((alias, at) => post(`{ ${alias}: __typename }`, at === 999 ? last : {})).join(''))
  expect(await bodies(socket)).toEqual(aliases.map((alias) => JSON.stringify({ data: { [alias]: 'Query' } })))
})

test('a request starts when earlier ones on its connection have responses', async () => {
  await app.graphql(ada.token, '{ viewer { uuid } }')
  const socket = await openSocket(app.origin)
  const before = app.lines.length
  const [answers = []] = await heldUp(app.database, holdAda, () => {
    socket.write(changeAda() + request('GET', '/health/live', '', { connection: 'close' }))
    return [bodies(socket)]
  })
  expect(answers.map((body) => JSON.parse(body))).toEqual([changed, { status: 'ok' }])
  const answered = app.lines.slice(before).filter(({ msg }) => msg === 'answered')
  expect(answered.map(({ path }) => path)).toEqual(['/graphql', '/health/live'])
})

test('requests that a client sends too early are not read yet', async () => {
  await app.graphql(ada.token, '{ viewer { uuid } }')
  const socket = await openSocket(app.origin)
  const count = 2000
  const padded = request('GET', '/health/live', '', { padding: 'x'.repeat(8000) })
  const answers = bodies(socket)
  await liftLockLimit(app.database)
  await app.database.write.prisma.$transaction(async (transaction) => {
    await holdAda(transaction)
    socket.write(changeAda())
    socket.write(padded.repeat(count))
    socket.write(request('GET', '/health/live', '', { connection: 'close' }))
    await setTimeout(1000)
    expect(socket.writableLength).toBeGreaterThan(1_000_000)
  })
  expect((await answers).length).toBe(count + 2)
})

test('requests that a client sends too early are not read either while it receives responses', async () => {
  const answered = 200
  let nth = 0
  const { begin, server } = await serve((_request, response) => {
    nth += 1
    if (nth <= answered) response.end()
  })
  const connected = once(server, 'connection')
  const socket = begin().resume()
  socket.write(request('GET', '/', '').repeat(50_000))
  const [connection] = await connected
  await expect.poll(() => nth).toBe(answered + 1)
  expect(connection.bytesRead).toBeLessThan(1_000_000)
})

test('a request that has not started is dropped when its client disconnects', async () => {
  await app.graphql(ada.token, '{ viewer { uuid } }')
  const socket = await openSocket(app.origin)
  await heldUp(app.database, holdAda, () => {
    socket.write(changeAda())
    socket.end(post('mutation { sendPost(input: { content: "Too late" }) { publication { uuid } } }'))
    return [once(socket.resume(), 'close')]
  })
  await setTimeout(500)
  expect(await app.database.write.prisma.publication.count({ where: { content: 'Too late' } })).toBe(0)
})

test('a request that is unfinished behind another one gets 408 after its response', async () => {
  const timeouts = { ...readConfig({}).timeouts, headers: 300, request: 400 }
  const { begin } = await serve((request, response) => void request.resume().on('end', () => response.end()), {
    timeouts,
  })
  const socket = begin()
  socket.write(request('GET', '/first') + request('POST', '/unfinished', '{', { 'content-length': '10' }))
  expect((await text(socket)).match(/HTTP\/1.1 \d+/g)).toEqual(['HTTP/1.1 200', 'HTTP/1.1 408'])
})

test('bodies that arrive in chunks are read, also between other requests', async () => {
  const socket = await openSocket(app.origin)
  socket.setNoDelay(true)
  const body = JSON.stringify({ query: '{ __typename }' })
  const chunked = { 'content-type': 'application/json', 'transfer-encoding': 'chunked' }
  const lines = Object.entries({ host: 'x', ...chunked }).map(([name, value]) => `${name}: ${value}${crlf}`)
  const pieces = [...body.padEnd(20_000)].map((character) => `1${crlf}${character}${crlf}`)
  const inPieces = `POST /graphql HTTP/1.1${crlf}${lines.join('')}${crlf}${pieces.join('')}0${crlf}${crlf}`
  const last = request('GET', '/health/live', '', { connection: 'close' })
  const all = request('GET', '/health/live') + inPieces + inPieces + last
  for (let at = 0; at < all.length; at += 7001) {
    socket.write(all.slice(at, at + 7001))
    await setTimeout(1)
  }
  const answered = { data: { __typename: 'Query' } }
  expect((await bodies(socket)).map((it) => JSON.parse(it))).toEqual([
    { status: 'ok' },
    answered,
    answered,
    { status: 'ok' },
  ])
})

test('nothing is read after a CONNECT request', async () => {
  const socket = await openSocket(app.origin)
  socket.write(`CONNECT x:80 HTTP/1.1${crlf}Host: x:80${crlf}${crlf}${request('GET', '/health/live').repeat(1000)}`)
  const received: Buffer[] = []
  socket.on('data', (chunk: Buffer) => received.push(chunk))
  socket.on('error', () => undefined)
  await once(socket, 'close')
  expect(
    Buffer.concat(received)
      .toString()
      .match(/HTTP\/1.1 \d+/g),
  ).toEqual(['HTTP/1.1 400'])
  expect((await fetch(`${app.origin}/health/live`)).status).toBe(200)
})
