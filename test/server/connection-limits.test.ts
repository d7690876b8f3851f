import { once } from 'node:events'
import { text } from 'node:stream/consumers'
import pino from 'pino'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { connectionsInHeap } from '../../src/server/connections/connection-limits.ts'
import { serve } from '../support/bare-server.ts'

beforeEach(() => void vi.useFakeTimers({ toFake: ['performance'] }))
afterEach(() => void vi.useRealTimers())

test('connections that an address opens too fast are reset for the rest of the second, and others still get one', async () => {
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
  const served: boolean[] = []
  while (served.length < 3 * most) served.push(await isServed('127.0.0.1'))
  expect(served).toEqual(Array.from({ length: 3 * most }, (_, at) => at < 2 * most))
  expect(lines).toMatchObject([{ address: '127.0.0.1', msg: expect.stringContaining('opens connections too fast') }])
  // Only Linux has other addresses on the loopback interface.
  if (process.platform === 'linux') expect(await isServed('127.0.0.2')).toBe(true)
  vi.advanceTimersByTime(1_000)
  expect(await isServed('127.0.0.1')).toBe(true)
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
