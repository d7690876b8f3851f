import type { Socket } from 'node:net'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { openSocket } from '../../support/http/raw-socket.ts'
import { addWriter } from '../../support/networks/writer.ts'
import { type CommandDatabase, commandDatabase } from '../../support/processes/command-database.ts'
import { endProcesses, type ServerProcess, startRookery } from '../../support/processes/rookery-process.ts'

/** The heap of the server, in MiB. */
const heap = 256

let database: CommandDatabase
let server: ServerProcess
let token: string

beforeAll(async () => {
  database = await commandDatabase()
  token = (await addWriter(database, 1)).token
  await database.use(({ write: { prisma } }) => prisma.$executeRawUnsafe(posts))
  const NODE_OPTIONS = `--max-old-space-size=${heap}`
  server = await startRookery({ ...database.env, LOG_LEVEL: 'silent', RATE_LIMIT: 'off', NODE_OPTIONS })
})
afterAll(async () => {
  await endProcesses()
  await database.remove()
})

/** Bob has posts of 2,000 bytes. */
const posts = `
  INSERT INTO publications (id, author_id, content)
  SELECT gen_random_uuid(), (SELECT id FROM users WHERE username = 'bob'), repeat('😀', 500) FROM generate_series(1, 200)`

const timeline = encodeURIComponent('{ publicTimeline(first: 100) { nodes { content again: content } } }')
const get = (path: string, ...headers: string[]) => [`GET ${path} HTTP/1.1`, 'Host: x', ...headers, '', ''].join('\r\n')

test.each([
  ['thousands of pipelined timelines', () => get(`/graphql?query=${timeline}`, `Authorization: Bearer ${token}`)],
  ['thousands of tiny pipelined requests', () => get('/x')],
  ['thousands of pipelined pages', () => get('/')],
  ['thousands of unread responses without a token', () => get(`/graphql?query=${encodeURIComponent('{__typename}')}`)],
])('answers others beside and after %s that nobody reads', async (_what, request) => {
  const sockets: Socket[] = []
  for (let count = 0; count < 100; count += 1) {
    const socket = await openSocket(server.origin, '127.0.9.1')
    socket.pause().write(request().repeat(3_000))
    sockets.push(socket)
  }
  const ask = async () => (await fetch(`${server.origin}/graphql?query={__typename}`)).status
  for (let count = 0; count < 5; count += 1) expect(await ask()).toBe(200)
  for (const socket of sockets) socket.destroy()
  expect(await ask()).toBe(200)
})
