import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { AcceptedConnections } from '../../src/server/turns/connections-first.ts'
import { LoopTurns } from '../../src/server/turns/loop-turns.ts'
import { serve } from '../support/bare-server.ts'

/** Occupies the event loop. */
function occupy(milliseconds: number): void {
  const end = performance.now() + milliseconds
  while (performance.now() < end);
}

/** A listener that takes time for each request, and the paths of the requests in the order in which they were handled. */
function slowListener(milliseconds: number) {
  const handled: string[] = []
  const listener: RequestListener = ({ url = '' }, response) => {
    handled.push(url)
    occupy(milliseconds)
    response.end()
  }
  return { handled, listener }
}

const small = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\n\r\n`
const large = (path: string) => `GET ${path} HTTP/1.1\r\nHost: x\r\nX-Long: ${'a'.repeat(15_900)}\r\n\r\n`

test.each([
  ['requests', 1],
  ['pipelined requests', 3],
])('a turn of the event loop handles few %s, since Node.js accepts one connection in each', async (_what, each) => {
  let inTurn = 0
  const turns: number[] = []
  const { open } = await serve((_request, response) => {
    if (inTurn === 0) {
      setImmediate(() => {
        turns.push(inTurn)
        inTurn = 0
      })
    }
    inTurn += 1
    response.end()
  })
  const sockets = await open(200)
  for (const socket of sockets) socket.write(small('/').repeat(each))
  await expect.poll(() => turns.reduce((sum, count) => sum + count, 0)).toBe(200 * each)
  expect(Math.max(...turns)).toBeLessThanOrEqual(32)
})

test('only the next request of a connection is parsed before its turn', async () => {
  const paths = Array.from({ length: 20 }, (_, at) => `/${at}`)
  const parsed: string[] = []
  const ahead: number[] = []
  const { open, server } = await serve(({ url = '' }, response) => {
    setTimeout(() => {
      ahead.push(parsed.length - paths.indexOf(url) - 1)
      response.end()
    }, 5)
  })
  server.on('request', ({ url = '' }) => parsed.push(url))
  const [socket] = await open(1)
  // The parser gets 512 bytes at a time, so this blank line comes in two pieces.
  const split = (path: string) => small(path).replace('x', 'x'.repeat(514 - small(path).length + 1))
  socket?.write(paths.map((path, at) => (at === 1 ? split : small)(path)).join(''))
  await expect.poll(() => parsed).toEqual(paths)
  await expect.poll(() => ahead).toHaveLength(paths.length)
  expect(Math.max(...ahead)).toBe(1)
})

test('a connection is read while requests wait, so a client that disconnects is noticed', async () => {
  let begun = 0
  let closed = 0
  const { open } = await serve((_request, response) => {
    begun += 1
    response.on('close', () => (closed += 1))
  })
  const [socket] = await open(1)
  socket?.write(small('/').repeat(100))
  await expect.poll(() => begun).toBe(1)
  socket?.resetAndDestroy()
  await expect.poll(() => closed).toBe(1)
})

test('a body of blank lines takes turns, although each line is parsed on its own', async () => {
  const blankLines = 'a\r\n\r\n'.repeat(4_000)
  let parsed = 0
  let inTurn = 0
  const turns: number[] = []
  const { open, server } = await serve((_request, response) => response.end())
  server.on('request', (request) => {
    request.on('data', ({ length }: Buffer) => {
      if (inTurn === 0) {
        setImmediate(() => {
          turns.push(inTurn)
          inTurn = 0
        })
      }
      inTurn += 1
      parsed += length
    })
  })
  const sockets = await open(8)
  for (const socket of sockets) {
    socket.write(`POST / HTTP/1.1\r\nHost: x\r\nContent-Length: ${blankLines.length}\r\n\r\n`)
    socket.write(blankLines)
  }
  await expect.poll(() => parsed).toBe(8 * blankLines.length)
  expect(Math.max(...turns)).toBeLessThan(2_500)
})

const others: readonly (readonly [string, string, typeof small])[] = [
  ['a small request', '127.0.0.1', small],
  ['a large request of another address', '127.0.0.2', large],
]
// Only Linux has other addresses on the loopback interface.
const isReachable = (address: string) => address === '127.0.0.1' || process.platform === 'linux'

test.each(others.filter(([, address]) => isReachable(address)))(
  '%s does not wait for the large requests of many connections',
  async (_what, address, request) => {
    const { handled, listener } = slowListener(3)
    const { open } = await serve(listener)
    const [flood, [other]] = [await open(40), await open(1, address)]
    for (const socket of flood) socket.write(large('/flood'))
    other?.write(request('/other'))
    await expect.poll(() => handled).toHaveLength(41)
    expect(handled.indexOf('/other')).toBeLessThan(15)
  },
)

test('a large request does not wait for small ones that keep the server busy', async () => {
  const { handled, listener } = slowListener(8)
  const { open } = await serve(listener)
  const [flood, [other]] = [await open(40), await open(1)]
  for (const socket of flood) socket.write(small('/flood'))
  other?.write(large('/other'))
  await expect.poll(() => handled).toHaveLength(41)
  expect(handled.indexOf('/other')).toBeLessThan(15)
})

test('a request whose connection has not been read yet is not late', async () => {
  const { handled, listener } = slowListener(4)
  const timeouts = { ...readConfig({}).timeouts, headers: 400 }
  const { begin } = await serve(listener, { limits: { timeouts } })
  const statuses = Array.from({ length: 300 }, async () => {
    const socket = begin('127.0.0.1')
    socket.write(small('/'))
    const [response] = await once(socket, 'data')
    return String(response).slice(9, 12)
  })
  expect(new Set(await Promise.all(statuses))).toEqual(new Set(['200']))
  expect(handled).toHaveLength(300)
})

test('connections are accepted while many requests wait', async () => {
  const { handled, listener } = slowListener(4)
  const { begin, open } = await serve(listener)
  for (const socket of await open(40)) socket.write(small('/flood').repeat(16))
  await expect.poll(() => handled.length, { interval: 1 }).toBeGreaterThan(100)
  const before = handled.length
  await Promise.all(Array.from({ length: 60 }, () => once(begin('127.0.0.1'), 'connect')))
  const [last] = await open(1)
  last?.write(small('/last'))
  await expect.poll(() => handled.includes('/last'), { interval: 1 }).toBe(true)
  expect(handled.indexOf('/last') - before).toBeLessThan(150)
})

test('connections are accepted while expensive steps of requests wait', async () => {
  const accepted = new AcceptedConnections()
  const { handled, listener } = slowListener(0)
  const { begin } = await serve(listener, { accepted })
  const turns = new LoopTurns(accepted)
  let steps = 0
  let isOver = false
  const step = async () => {
    while (!isOver) {
      await turns.next({ account: 'ada', hasToken: true })
      occupy(4)
      steps += 1
    }
  }
  const all = [step(), step()]
  const answered = Array.from({ length: 60 }, async () => {
    const socket = begin('127.0.0.1').once('connect', () => socket.write(small('/')))
    await once(socket, 'data')
  })
  await Promise.all(answered)
  isOver = true
  await Promise.all(all)
  expect(handled).toHaveLength(60)
  expect(steps).toBeLessThan(100)
})
