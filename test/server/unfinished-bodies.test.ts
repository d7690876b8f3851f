import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'

const size = 256 * 1024
/** How many of them have room. */
const room = (64 * 1024 * 1024) / size
const flood = { address: '127.0.8.1', count: 400 }

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

type Sender = { readonly sent: ClientRequest; readonly response: Promise<{ status: number | undefined; body: string }> }

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
  expect(bodies.filter(({ status }) => status === 200)).toHaveLength(room - 1)
})
