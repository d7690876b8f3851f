import { once } from 'node:events'
import { Agent, type IncomingMessage, request } from 'node:http'
import { Socket } from 'node:net'
import { buffer, text } from 'node:stream/consumers'
import { expect, test } from 'vitest'
import { serve } from '../../support/http/bare-server.ts'

const chunked = 'POST / HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n'
const next = 'GET /next HTTP/1.1\r\nHost: x\r\n\r\n'

test('a body in chunks of one byte is read to its end, before the next request', async () => {
  const length = 60_000
  const requests: IncomingMessage[] = []
  const { open } = await serve((request) => void requests.push(request))
  const [socket] = await open(1)
  socket?.write(`${chunked}${'1\r\nx\r\n'.repeat(length)}0\r\n\r\n${next}`)
  await expect.poll(() => requests[0]?.readableLength).toBeGreaterThan(0)
  for (const request of requests) expect((await buffer(request)).length).toBe(length)
  expect(requests).toHaveLength(1)
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
