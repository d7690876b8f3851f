import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { afterEach, expect, test } from 'vitest'
import { readConfig } from '../../src/config.ts'
import { createHttpServer } from '../../src/server/http-server.ts'
import { listen } from '../../src/server/listen.ts'

const sockets: Socket[] = []
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy()
})

test('a turn of the event loop handles few requests, since Node.js accepts one connection in each', async () => {
  let inTurn = 0
  const turns: number[] = []
  const server = createHttpServer((_request, response) => {
    if (inTurn === 0) {
      setImmediate(() => {
        turns.push(inTurn)
        inTurn = 0
      })
    }
    inTurn += 1
    response.end()
  }, readConfig({}))
  const { port } = new URL(await listen(server, { host: '127.0.0.1', port: 0 }))
  for (let nth = 0; nth < 200; nth += 1) {
    const socket = connect(Number(port), '127.0.0.1')
    await once(socket, 'connect')
    sockets.push(socket)
  }
  const answered = sockets.map((socket) => once(socket, 'data'))
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: x\r\n\r\n')
  await Promise.all(answered)
  await expect.poll(() => inTurn).toBe(0)
  expect(turns.reduce((sum, count) => sum + count, 0)).toBe(200)
  expect(Math.max(...turns)).toBeLessThanOrEqual(32)
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
})
