import { once } from 'node:events'
import { connect } from 'node:net'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { checkDocumented } from '../support/documented-answers.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person()
})
afterAll(() => app.close())

/** Sends bytes as they are, and reads until the server ends the connection. */
async function exchange(sent: string) {
  const { hostname, port } = new URL(app.origin)
  const socket = connect(Number(port), hostname)
  await once(socket, 'connect')
  socket.write(sent)
  const [head = '', ...rest] = (await text(socket)).split('\r\n\r\n')
  const [, ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  return { status: Number(head.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}

const path = '/api/v1/user'

test.each([
  ['no HTTP', 'Hello?\r\n\r\n'],
  ['a header without a name', `GET ${path} HTTP/1.1\r\nHost: x\r\n: nothing\r\n\r\n`],
  ['a length that is no number', `GET ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: many\r\n\r\n`],
  ['two lengths', `GET ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`],
  ['no host', `GET ${path} HTTP/1.1\r\n\r\n`],
  ['an expectation that nobody knows', `GET ${path} HTTP/1.1\r\nHost: x\r\nExpect: rain\r\n\r\n`],
  ['a length and chunks', `GET ${path} HTTP/1.1\r\nHost: x\r\nContent-Length: 1\r\nTransfer-Encoding: chunked\r\n\r\n`],
])('%s is refused in the form of all refusals', async (_what, sent) => {
  const answer = await exchange(sent)
  expect(answer.status).toBe(400)
  expect(JSON.parse(answer.body)).toMatchObject({ code: 'BAD_REQUEST', status: 400 })
  expect(answer.headers.get('connection')).toBe('close')
  expect(answer.headers.get('content-length')).toBe(String(Buffer.byteLength(answer.body)))
  checkDocumented({ method: 'GET', path, ...answer })
})

test('so is what comes after a request that was answered', async () => {
  const first = `GET ${path} HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${ada.token}\r\n\r\n`
  const { hostname, port } = new URL(app.origin)
  const socket = connect(Number(port), hostname)
  socket.write(first)
  const [answered] = await once(socket, 'data')
  expect(String(answered)).toMatch(/^HTTP\/1\.1 200 /)
  socket.write('Hello?\r\n\r\n')
  expect(await text(socket)).toMatch(/^HTTP\/1\.1 400 .*"code":"BAD_REQUEST"/s)
})

test('too long a head is refused as Node.js does it', async () => {
  const { status, body } = await exchange(`GET ${path} HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(20_000)}\r\n\r\n`)
  expect({ status, body }).toEqual({ status: 431, body: '' })
})
