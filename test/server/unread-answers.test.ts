import { afterAll, beforeAll, expect, test } from 'vitest'
import { assetPath } from '../../src/server/pages/assets.ts'
import { patience } from '../../src/server/patience.ts'
import { startApp, type TestApp } from '../support/app.ts'
import { openSocket } from '../support/raw-socket.ts'

let app: TestApp
let hasty: TestApp
let large: string
beforeAll(async () => {
  app = await startApp()
  hasty = await startApp({ patience: { ...patience, read: 100 } })
  large = await assetPath('graphiql.js')
})
afterAll(() => Promise.all([app.close(), hasty.close()]))

/** Asks for 8 MB and reads nothing; `ended` resolves when the server ends the connection. */
async function askWithoutReading({ origin }: TestApp) {
  const socket = await openSocket(origin)
  const ended = new Promise((resolve) => socket.on('close', resolve))
  // Twice, since the system takes some of the first. A socket that is not read notices an end when it writes.
  socket.write(`GET ${large} HTTP/1.1\r\nHost: x\r\n\r\n`.repeat(2))
  const knocking = setInterval(() => socket.write('GET /health/live HTTP/1.1\r\nHost: x\r\n\r\n'), 100)
  ended.then(() => clearInterval(knocking))
  return { socket, ended }
}

test('answers that nobody reads are ended when they are too large together', async () => {
  const clients = await Promise.all(Array.from({ length: 30 }, () => askWithoutReading(app)))
  await Promise.any(clients.map(({ ended }) => ended))
  const read = await fetch(`${app.origin}${large}`)
  expect((await read.arrayBuffer()).byteLength).toBeGreaterThan(5_000_000)
  for (const { socket } of clients) socket.destroy()
})

test('an answer that is not read in time is ended', async () => {
  const { ended } = await askWithoutReading(hasty)
  await ended
  expect((await fetch(`${hasty.origin}/health/live`)).status).toBe(200)
})
