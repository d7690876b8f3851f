import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { maxRequestMemory } from '../../src/server/served-request.ts'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { onPostgres } from '../support/database.ts'
import { whileLocked } from '../support/locked-table.ts'
import { type RawAnswer, sendRaw } from '../support/raw-request.ts'

const size = 256 * 1024
/** How many of them have room. */
const room = maxRequestMemory / size
const flood = { address: '127.0.8.1', count: 400 }

/** An operation that waits while nobody can read the badges. It is too expensive to be batched. */
const waiting = '{ homeTimeline(first: 1) { nodes { author { badges { name } } } } }'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

type Sender = { readonly sent: ClientRequest; readonly response: Promise<{ status: number | undefined; body: string }> }

/** Posts a GraphQL operation. */
function postFrom(from: string, token: string, body: string): Promise<RawAnswer> {
  const headers = { 'content-type': 'application/json' }
  return sendRaw(app.origin, { method: 'POST', path: '/graphql', from, token, headers, pieces: [body] })
}

/** Begins to post, and keeps the last byte of the body back. */
function begin(localAddress: string): Sender {
  const headers = { authorization: `Bearer ${ada.token}`, 'content-type': 'application/json', 'content-length': size }
  const sent = request(`${app.origin}/api/v1/post`, { method: 'POST', agent: false, localAddress, headers })
  const response = once(sent, 'response').then(async ([message]) => ({
    status: message.statusCode,
    body: await text(message),
  }))
  sent.write(JSON.stringify({ content: 'Hello' }).padEnd(size - 1))
  return { sent, response }
}

test('an address whose unfinished bodies take too much memory gets 503, and others do not', async () => {
  const statuses: (number | undefined)[] = []
  const senders = Array.from({ length: flood.count }, () => begin(flood.address))
  for (const { response } of senders) void response.then(({ status }) => statuses.push(status))
  await expect.poll(() => statuses.length).toBe(flood.count - room)
  expect(new Set(statuses)).toEqual(new Set([503]))

  const other = begin('127.0.0.1')
  await expect.poll(() => statuses.length).toBe(flood.count - room + 1)
  other.sent.end(' ')
  expect(await other.response).toMatchObject({ status: 200 })

  for (const { sent } of senders) sent.end(' ')
  const bodies = await Promise.all(senders.map(({ response }) => response))
  // While its request is in progress, a complete body takes twice the memory.
  expect(bodies.filter(({ status }) => status === 200).length).toBeGreaterThanOrEqual(room / 2 - 1)
})

test('the memory of a body is free once its request has been handled', async () => {
  const padding = ' '.repeat(size - 100)
  for (let sent = 0; sent < 2 * room; sent += 1) {
    const { status } = await postFrom(
      '127.0.8.3',
      ada.token,
      `${JSON.stringify({ query: '{ __typename }' })}${padding}`,
    )
    expect(status).toBe(200)
  }
})

test.runIf(onPostgres)('complete bodies of requests that wait are limited too', async () => {
  const bob = await app.person('bob')
  const count = 100
  // One character beyond Latin-1 doubles the memory of the text, and as much is counted for what is parsed from it.
  const extensions = { text: `…${'x'.repeat(250_000)}` }
  const bodies: string[] = []
  let responses: Promise<unknown>[] = []
  await whileLocked(app, 'badges', async () => {
    responses = Array.from({ length: count }, async () => {
      bodies.push((await postFrom('127.0.8.1', ada.token, JSON.stringify({ query: waiting, extensions }))).body)
    })
    const stopped = () => bodies.filter((body) => body.includes('make room for others')).length
    await expect.poll(stopped).toBeGreaterThan(0)
    const other = await postFrom(
      '127.0.8.2',
      bob.token,
      JSON.stringify({ query: '{ viewer { username } }', extensions: { text: 'x'.repeat(200_000) } }),
    )
    expect(other).toMatchObject({ status: 200 })
  })
  await Promise.all(responses)
  expect(bodies.filter((body) => body.includes('"data":{"homeTimeline"')).length).toBeGreaterThan(0)
})

test.runIf(onPostgres)('new documents of requests that wait are limited too', async () => {
  const tokens = 1_900
  const bytes = 600 * tokens
  const count = Math.ceil((2 * maxRequestMemory) / bytes)
  const stopped: (number | undefined)[] = []
  const done: string[] = []
  let responses: Promise<unknown>[] = []
  await whileLocked(app, 'badges', async () => {
    responses = Array.from({ length: count }, async (_, nth) => {
      const source = `{ b${nth}: ${waiting.slice(1, -1)} ${'... { __typename } '.repeat(tokens / 4 - 10)} }`
      const { status, body } = await postFrom('127.0.8.4', ada.token, JSON.stringify({ query: source }))
      if (body.includes('make room for others')) stopped.push(status)
      else done.push(body)
    })
    await expect.poll(() => stopped.length).toBeGreaterThan(0)
    expect((await app.graphql(ada.token, '{ __typename }')).status).toBe(200)
  })
  await Promise.all(responses)
  expect(new Set(stopped)).toEqual(new Set([503]))
  expect(done.filter((body) => body.startsWith('{"data":{"b')).length).toBeGreaterThan(0)
})
