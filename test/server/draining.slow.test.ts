import { Agent, request } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, afterEach, beforeAll, expect, test } from 'vitest'
import { tally } from '../support/graphql/outcomes.ts'
import { openSocket } from '../support/http/raw-socket.ts'
import { type CommandDatabase, commandDatabase } from '../support/processes/command-database.ts'
import { endProcesses, startRookery } from '../support/processes/rookery-process.ts'

let database: CommandDatabase
beforeAll(async () => {
  database = await commandDatabase()
})
afterEach(endProcesses)
afterAll(() => database.remove())

/** The status of a response, or the code of the connection error. */
function statusOf(url: string, agent: Agent): Promise<string> {
  return new Promise((resolve) => {
    const failed = ({ code }: NodeJS.ErrnoException) => resolve(code ?? 'failed')
    request(url, { agent }, (response) => {
      response
        .resume()
        .on('error', failed)
        .on('end', () => resolve(String(response.statusCode)))
    })
      .on('error', failed)
      .end()
  })
}

test('no request fails for a client that stops when the server announces its stop', async () => {
  const { origin, signal, ended } = await startRookery({ ...database.env, STOP_DELAY: '2' })
  let isReady = true
  const statuses: string[] = []
  const client = async () => {
    const agent = new Agent({ keepAlive: true, maxSockets: 1 })
    while (isReady) statuses.push(await statusOf(`${origin}/graphql?query={__typename}`, agent))
    agent.destroy()
  }
  const clients = Array.from({ length: 16 }, client)
  const agent = new Agent({ keepAlive: true })
  const readiness = () => statusOf(`${origin}/health/ready`, agent)
  expect(await readiness()).toBe('200')
  signal('SIGTERM')
  await expect.poll(readiness).toBe('503')
  const beforeTheEnd = statuses.length
  await sleep(200)
  isReady = false
  await Promise.all(clients)
  expect(tally(statuses)).toEqual({ 200: statuses.length })
  expect(statuses.length).toBeGreaterThan(beforeTheEnd)
  expect(await ended).toMatchObject({ code: 0 })
})

test('idle connections are kept longer than load balancers keep theirs', async () => {
  const { origin } = await startRookery(database.env)
  expect((await fetch(`${origin}/health/live`)).headers.get('keep-alive')).toBe('timeout=75')
})

test('without a delay, a stopping server accepts no new connections', async () => {
  const { origin, signal, ended } = await startRookery(database.env)
  expect(await statusOf(`${origin}/health/live`, new Agent({ keepAlive: true }))).toBe('200')
  signal('SIGTERM')
  expect(await ended).toMatchObject({ code: 0 })
  expect(await statusOf(`${origin}/health/live`, new Agent())).toBe('ECONNREFUSED')
})

test('a stopping server does not wait for connections that never sent a request', async () => {
  const { origin, signal, ended } = await startRookery(database.env)
  const socket = await openSocket(origin)
  signal('SIGTERM')
  const first = await Promise.race([ended, sleep(5_000, 'still running', { ref: false })])
  expect(first).toMatchObject({ code: 0 })
  socket.destroy()
})
