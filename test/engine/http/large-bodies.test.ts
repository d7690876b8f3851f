import { once } from 'node:events'
import { type ClientRequest, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { gzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { sendRaw } from '../../support/http/raw-request.ts'

const limit = 64 * 1024
const huge = 20 * 1024 * 1024

const surfaces = [
  {
    path: '/graphql',
    small: JSON.stringify({ query: '{ __typename }' }),
    accepted: { data: { __typename: 'Query' } },
    refused: { errors: [{ extensions: { code: 'PAYLOAD_TOO_LARGE' } }] },
  },
  {
    path: '/api/v1/post',
    small: JSON.stringify({ content: 'Hello' }),
    accepted: { content: 'Hello' },
    refused: { status: 413, code: 'PAYLOAD_TOO_LARGE', title: 'Payload too large' },
  },
]

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

function begin(path: string, headers: Record<string, string | number> = {}): ClientRequest {
  const authorization = `Bearer ${ada.token}`
  const type = { 'content-type': 'application/json' }
  return request(`${app.origin}${path}`, {
    method: 'POST',
    agent: false,
    headers: { authorization, ...type, ...headers },
  })
}

describe.each(surfaces)('a body for $path', ({ path, small, accepted, refused }) => {
  const post = async (body: string | Uint8Array) => {
    const headers = { 'content-type': 'application/json' }
    const answer = await sendRaw(app.origin, { method: 'POST', path, token: ada.token, headers, pieces: [body] })
    return { status: answer.status, body: JSON.parse(answer.body) }
  }

  test('is accepted up to exactly 64 KiB', async () => {
    expect(await post(small.padEnd(limit))).toMatchObject({ status: 200, body: accepted })
    expect(await post(small.padEnd(limit + 1))).toMatchObject({ status: 413, body: refused })
  })

  test('is refused if it is compressed, since a small one could become a large one', async () => {
    const send = (coding: string, body: string | Uint8Array) => {
      const headers = { 'content-type': 'application/json', 'content-encoding': coding }
      return sendRaw(app.origin, { method: 'POST', path, token: ada.token, headers, pieces: [body] })
    }
    const message = expect.stringContaining('"The body must not be compressed."')
    expect(await send('gzip', gzipSync(small))).toMatchObject({
      status: 415,
      headers: { 'accept-encoding': 'identity' },
      body: message,
    })
    expect(await send('identity', small)).toMatchObject({ status: 200 })
  })

  test('of 20 MB is refused before it arrives, while others are served', async () => {
    const message = begin(path, { 'content-length': huge })
    const answered = once(message, 'response')
    message.write(Buffer.alloc(limit + 1, ' '))
    const [response] = await answered
    expect(response.statusCode).toBe(413)
    expect(JSON.parse(await text(response))).toMatchObject(refused)
    expect(await app.graphql(ada.token, '{ viewer { username } }')).toMatchObject({ status: 200 })
    message.destroy()
  })

  test('of 20 MB is refused with a response that a client can read after sending all of it', async () => {
    expect(await post(Buffer.alloc(huge, ' '))).toMatchObject({ status: 413, body: refused })
  })

  test('that breaks off does not affect other requests', async () => {
    const message = begin(path, { 'content-length': 1000 })
    message.on('error', () => undefined)
    message.write('{')
    await once(message, 'socket')
    await new Promise((resolve) => message.write(' ', resolve))
    message.destroy()
    expect(await post(small)).toMatchObject({ status: 200, body: accepted })
    expect(app.lines.filter(({ level }) => level >= 50)).toEqual([])
  })
})
