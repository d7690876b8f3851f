import type { Socket } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { bundleOf } from '../../src/server/pages/bundle.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { openSocket } from '../support/raw-socket.ts'

let app: TestApp
let hasty: TestApp
let large: string
beforeAll(async () => {
  // Longer than a test may take.
  app = await startApp({ timeouts: { ...readConfig({}).timeouts, delivery: 300_000 } })
  hasty = await startApp({ timeouts: { ...readConfig({}).timeouts, delivery: 100 } })
  const { imports } = await bundleOf('graphiql/main.tsx', ['_monaco-editor.js'])
  large = imports.find((path) => path.endsWith('/monaco-editor.js')) ?? ''
})
afterAll(() => Promise.all([app.close(), hasty.close()]))

const responses = 6

/** Requests 17 MB, in several responses because the system buffers the first. */
const ask = (socket: Socket) => socket.write(`GET ${large} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(responses))

/** Requests 17 MB and reads nothing. `ended` resolves when the server closes the connection. */
async function askWithoutReading({ origin }: TestApp, localAddress?: string) {
  const socket = await openSocket(origin, localAddress)
  const ended = new Promise((resolve) => socket.on('close', resolve))
  ask(socket)
  // A socket that is not read notices the end when it writes.
  const knocking = setInterval(() => socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'), 100)
  ended.then(() => clearInterval(knocking))
  return { socket, ended }
}

test('unread responses are closed when their total size exceeds the limit', async () => {
  const clients = await Promise.all(Array.from({ length: 30 }, () => askWithoutReading(app)))
  await Promise.any(clients.map(({ ended }) => ended))
  const read = await fetch(`${app.origin}${large}`)
  expect((await read.arrayBuffer()).byteLength).toBeGreaterThan(2_500_000)
  for (const { socket } of clients) socket.destroy()
})

test('unread responses of one address do not end those of another', async () => {
  const other = await openSocket(app.origin)
  ask(other)
  other.write('GET /health/live HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n')
  // Until its responses have filled the buffers of the system, so that they are the first ones that are counted.
  await setTimeout(500)
  const clients = await Promise.all(Array.from({ length: 30 }, () => askWithoutReading(app, '127.0.8.1')))
  await Promise.any(clients.map(({ ended }) => ended))
  expect((await buffer(other)).length).toBeGreaterThan(responses * 2_500_000)
  for (const { socket } of clients) socket.destroy()
})

test('a response that is not read in time is closed', async () => {
  const { ended } = await askWithoutReading(hasty)
  await ended
  expect((await fetch(`${hasty.origin}/health/live`)).status).toBe(200)
})
