import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectionsInHeap } from '../../src/server/connections/connection-limits.ts'
import { serve } from '../support/bare-server.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('connections that an address opens too fast are closed, and others still get one', async () => {
  const lines: { msg: string; address: string }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  const most = 20
  const { begin } = await serve((_request, response) => response.end(), {
    limits: { connectionsPerAddress: most },
    log,
  })
  const isServed = async (address: string) => {
    const socket = begin(address).on('error', () => undefined)
    socket.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    const received = await text(socket).catch(() => '')
    if (!socket.closed) await once(socket, 'close')
    return received.startsWith('HTTP/1.1 200 OK')
  }
  /** How many connections are served in a row. Opens two more, which are not. */
  const servedOf = async (address: string) => {
    let served = 0
    while (await isServed(address)) served += 1
    expect(await isServed(address)).toBe(false)
    return served
  }
  expect(await servedOf('127.0.0.1')).toBe(2 * most)
  vi.advanceTimersByTime(1)
  expect(await servedOf('127.0.0.1')).toBe(0)
  expect(lines).toMatchObject([{ address: '127.0.0.1', msg: expect.stringContaining('opens connections too fast') }])
  // Only Linux has other addresses on the loopback interface.
  if (process.platform === 'linux') expect(await isServed('127.0.0.2')).toBe(true)
  vi.advanceTimersByTime(1_000 / most)
  expect(await servedOf('127.0.0.1')).toBe(2)
  vi.advanceTimersByTime(3_000)
  expect(await servedOf('127.0.0.1')).toBe(2 * most)
  expect(lines).toHaveLength(2)
})

/** Whether a server of this version of Node.js asks its block list about each connection. */
const asksBlockLists = !/^v(20|22\.(?:[0-9]|1[0-2])\.)/.test(process.version)

test.runIf(asksBlockLists)('no socket is created for connections that an address opens too fast', async () => {
  const most = 20
  const { begin, server } = await serve((_request, response) => response.end(), {
    limits: { connectionsPerAddress: most },
  })
  let created = 0
  server.on('connection', () => {
    created += 1
  })
  const sockets = Array.from({ length: 3 * most }, () => begin().on('error', () => undefined))
  await Promise.all(sockets.slice(2 * most).map((socket) => once(socket.resume(), 'close')))
  expect(created).toBe(2 * most)
})

test('connections whose headers might not fit into the heap are closed, until others end', async () => {
  const lines: { msg: string; most: number }[] = []
  const log = pino({}, { write: (line: string) => void lines.push(JSON.parse(line)) })
  // So large that the heap holds few of them.
  const headerSize = 64 * 1024 * 1024
  const most = connectionsInHeap(headerSize)
  const { open } = await serve((_request, response) => response.end(), { limits: { headerSize }, log })
  const [first, ...others] = await open(most)
  const refused = await open(2)
  await Promise.all(refused.map((socket) => once(socket.resume(), 'close')))
  expect(lines).toMatchObject([{ most, msg: expect.stringContaining('the maximum number of connections') }])
  first?.destroy()
  const statusOfNext = async () => {
    const [next] = await open(1)
    next?.write('GET / HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
    return next && (await text(next).catch(() => '')).slice(0, 15)
  }
  await expect.poll(statusOfNext).toBe('HTTP/1.1 200 OK')
  expect(others.some(({ closed }) => closed)).toBe(false)
})
