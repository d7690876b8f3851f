import { once } from 'node:events'
import { Agent, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import { text } from 'node:stream/consumers'
import { setTimeout as sleep } from 'node:timers/promises'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { readBody } from '../../src/http/body.ts'
import { SharedMemory } from '../../src/http/shared-memory.ts'
import { maxRequestMemory } from '../../src/server/served-request.ts'
import { serve } from '../support/bare-server.ts'

const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
const sender = { signal: new AbortController().signal }
const next = 'GET /next HTTP/1.1\r\nHost: x\r\n\r\n'

test('few chunks of a body are parsed before it is read, since each takes a hundred times its size until then', async () => {
  const length = 60_000
  const requests: IncomingMessage[] = []
  const { open } = await serve((request) => void requests.push(request))
  const [socket] = await open(1)
  socket?.write(`${chunked}${'1\r\nx\r\n'.repeat(length)}0\r\n\r\n${next}`)
  await expect.poll(() => requests[0]?.readableLength).toBeGreaterThan(0)
  await sleep(100)
  expect(requests[0]?.readableLength).toBeLessThan(200)
  const memory = new SharedMemory(maxRequestMemory).begin('127.0.0.1', () => undefined)
  for (const request of requests) expect((await readBody(request, sender, memory)).length).toBe(length)
})

const bodies = {
  'of known length': (length: number) => `Content-Length: ${length}\r\n\r\n${'x'.repeat(length)}`,
  'in one chunk': (length: number) =>
    `Transfer-Encoding: chunked\r\n\r\n${length.toString(16)}\r\n${'x'.repeat(length)}\r\n0\r\n\r\n`,
  'in chunks of one byte': (length: number) =>
    `Transfer-Encoding: chunked\r\n\r\n${'1\r\nx\r\n'.repeat(length)}0\r\n\r\n`,
}
const cases = Object.entries(bodies).flatMap(([how, body]) =>
  [50_000, 60_000, 200_000].flatMap((length) => [0, 50].map((delay) => ({ how, body, length, delay }))),
)

test.each(cases)(
  'after a response in $delay ms, $length bytes $how that nothing has read do not keep the next request waiting',
  async ({ body, length, delay }) => {
    const paths: string[] = []
    const { open } = await serve(({ url = '' }, response) => {
      paths.push(url)
      setTimeout(() => response.end(), delay)
    })
    const [socket] = await open(1)
    socket?.write(`POST / HTTP/1.1\r\nHost: x\r\n${body(length)}${next}`)
    await expect.poll(() => paths).toEqual(['/', '/next'])
  },
)

test('a client may reuse the connection after a response, although much of its body has not been read', async () => {
  const { port } = await serve((_request, response) => setTimeout(() => response.end(), 50))
  const agent = new Agent({ keepAlive: true, maxSockets: 1 })
  const send = async (chunks: number) => {
    const sent = request({ host: '127.0.0.1', port, agent, method: 'POST' })
    const response = new Promise<IncomingMessage>((resolve, reject) => sent.on('response', resolve).on('error', reject))
    for (let count = 0; count < chunks; count += 1) sent.write('x')
    sent.end()
    const { socket } = await response
    const { localPort } = socket
    await text(await response)
    return localPort
  }
  const ports = await Promise.all([send(30_000), send(0), send(0)])
  agent.destroy()
  expect(new Set(ports).size).toBe(1)
})

test('a client can read the last response of a connection while it still sends its body', async () => {
  const { open } = await serve((_request, response) => response.writeHead(401, { connection: 'close' }).end())
  const size = 5_000_000
  for (const socket of await open(10)) {
    const responded = once(socket, 'data')
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${size}\r\n\r\n`)
    socket.write(Buffer.alloc(size, 'x'))
    const [response] = await responded
    expect(String(response)).toMatch(/^HTTP\/1.1 401 /)
    await once(socket, 'end')
  }
})

test('a body is read to its end, although much of it was framing while its reader paused', async () => {
  let body = ''
  const requests: IncomingMessage[] = []
  const { open } = await serve((request, response) => {
    request.on('data', (bytes) => (body += bytes)).on('end', () => response.end())
    requests.push(request.pause())
  })
  const [socket] = await open(1)
  socket?.write(chunked)
  await expect.poll(() => requests).toHaveLength(1)
  socket?.write(`5;x=${'a'.repeat(700)}\r\nhello\r\n0\r\nX-Trailer: ${'a'.repeat(700)}\r\n\r\n`)
  await expect.poll(() => requests[0]?.readableLength).toBe(5)
  requests[0]?.resume()
  const [response] = await once(socket ?? new Socket(), 'data')
  expect(String(response)).toMatch(/^HTTP\/1.1 200 OK/)
  expect(body).toBe('hello')
})

test('a body in small chunks can be read one chunk at a time', async () => {
  let read = 0
  const { open } = await serve(async (request, response) => {
    await expect.poll(() => request.readableLength).toBeGreaterThan(50)
    for await (const bytes of request) read += bytes.length
    response.end()
  })
  const [socket] = await open(1)
  socket?.write(`${chunked}${'1\r\nx\r\n'.repeat(2_000)}0\r\n\r\n`)
  await expect.poll(() => read).toBe(2_000)
})

test.each([
  { size: 'small', length: 1_000, connection: 'keep-alive' },
  { size: 'large', length: 100_000, connection: 'close' },
])('a $size body that is not needed does not keep the response waiting', async ({ length, connection }) => {
  const { port } = await serve((request, response) => {
    request.resume()
    setTimeout(() => response.end('done'), 50)
  })
  const agent = new Agent({ keepAlive: true })
  const sent = request({ host: '127.0.0.1', port, agent, method: 'GET', headers: { 'transfer-encoding': 'chunked' } })
  const responded = once(sent, 'response')
  for (let count = 0; count < length; count += 1) sent.write('x')
  sent.end()
  const [response] = await responded
  expect(response.headers).toMatchObject({ connection })
  expect(await text(response)).toBe('done')
  agent.destroy()
})

test('little of a large body that is not needed is parsed, and a client that leaves meanwhile is noticed', async () => {
  let parsed = 0
  let isClosed = false
  const { open } = await serve((request, response) => {
    const push = request.push.bind(request)
    request.push = (chunk: unknown) => {
      parsed += 1
      return push(chunk)
    }
    request.resume()
    response.on('close', () => (isClosed = true))
  })
  const [socket = new Socket()] = await open(1)
  await new Promise((sent) => socket.write(`${chunked}${'1\r\nx\r\n'.repeat(60_000)}`, sent))
  socket.destroy()
  await expect.poll(() => isClosed).toBe(true)
  expect(parsed).toBeGreaterThan(0)
  expect(parsed).toBeLessThan(4_000)
})

test('a large body that is not needed does not count as late while its request waits', async () => {
  const timeouts = { ...readConfig({}).timeouts, headers: 200, request: 200 }
  const respond = (request: IncomingMessage, response: ServerResponse) => {
    request.resume()
    setTimeout(() => response.end(), 1_000)
  }
  const { open } = await serve(respond, { limits: { timeouts } })
  const [socket = new Socket()] = await open(1)
  const responded = once(socket, 'data')
  socket.write(`${chunked}${'1\r\nx\r\n'.repeat(60_000)}0\r\n\r\n`)
  const [response] = await responded
  expect(String(response)).toMatch(/^HTTP\/1.1 200 /)
})
