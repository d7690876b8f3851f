import { once } from 'node:events'
import { fastify } from 'fastify'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { createHttpServer } from '../../src/engine/http/connections/http-server.ts'
import { readConfig } from '../../src/server/config.ts'
import { listen } from '../../src/server/listen.ts'
import { openSocket } from '../support/http/raw-socket.ts'

/** As on most machines localhost has two. */
const addresses = ['127.0.0.1', '127.0.0.2']

const server = fastify({
  serverFactory: (handler) => createHttpServer(handler, readConfig({}), {}),
  forceCloseConnections: 'idle',
})
let origins: string[]
beforeAll(async () => {
  server.get('/', async () => 'here')
  const origin = await listen(server, { host: 'localhost', port: 0 }, async () => addresses)
  origins = addresses.map((address) => origin.replace('localhost', address))
})
afterAll(() => server.close())

test('a host with several addresses is served at each of them', async () => {
  for (const origin of origins) expect(await (await fetch(origin)).text()).toBe('here')
})

test('stopping closes the connections to all of them', async () => {
  const sockets = await Promise.all(origins.map((origin) => openSocket(origin)))
  for (const socket of sockets) socket.write('GET / HTTP/1.1\r\nHost: a\r\n\r\n')
  await Promise.all(sockets.map((socket) => once(socket, 'data')))
  const ends = sockets.map((socket) => once(socket, 'close'))
  await server.close()
  await Promise.all(ends)
  for (const origin of origins) await expect(fetch(origin)).rejects.toThrow()
})
