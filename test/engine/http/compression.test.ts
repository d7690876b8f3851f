import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { sendForBytes } from '../../support/http/raw-request.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  for (let nth = 0; nth < 5; nth++) await app.rest(ada.token, 'POST', '/post', { content: `Über ${nth} `.repeat(60) })
})
afterAll(() => app.close())

const timeline = '{ homeTimeline(first: 5) { nodes { uuid content author { username } } } }'
/** Repeats an unknown field, so that its errors take more than 1 KiB. */
const invalid = `{ ${Array.from({ length: 15 }, (_, nth) => `unknownField${nth}`).join(' ')} }`

type Ask = { readonly path: string; readonly query?: string; readonly accept?: string }

/** The response byte for byte: `fetch` would decompress it. */
const ask = ({ path, query, accept = '*/*' }: Ask, accepted?: string, method = query ? 'POST' : 'GET') =>
  sendForBytes(app.origin, {
    ...{ method, path, token: ada.token },
    headers: {
      accept,
      ...(query !== undefined && { 'content-type': 'application/json' }),
      ...(accepted !== undefined && { 'accept-encoding': accepted }),
    },
    ...(query !== undefined && { pieces: [JSON.stringify({ query })] }),
  })

const large: readonly (readonly [string, Ask])[] = [
  ['GraphQL', { path: '/graphql', query: timeline }],
  ['GraphQL with errors', { path: '/graphql', query: invalid, accept: 'application/graphql-response+json' }],
  ['REST', { path: '/api/v1/user/@ada/posts/1' }],
  ['GraphiQL', { path: '/graphql', accept: 'text/html' }],
  ['the OpenAPI document', { path: '/api/v1/openapi.json' }],
]

/** A page but for the nonce of its policy, which each response makes anew. */
const withoutNonce = (page: string) => page.replaceAll(/nonce[-=]"?[\w+/=]+/g, 'nonce')

describe.each(large)('a large response of %s', (_what, request) => {
  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip;q=1, br;q=0.5', 'gzip', gunzipSync],
    ['br;q=0, *', 'gzip', gunzipSync],
    ['*;q=0.5, br; q=0.000', 'gzip', gunzipSync],
  ])('is compressed for Accept-Encoding %s as %s', async (accepted, encoding, decompress) => {
    const plain = await ask(request)
    const { status, headers, body } = await ask(request, accepted)
    expect(status).toBe(plain.status)
    expect(headers).toMatchObject({ 'content-encoding': encoding, vary: 'accept-encoding' })
    expect(body.length).toBeLessThan(plain.body.length)
    expect(withoutNonce(decompress(body).toString())).toBe(withoutNonce(plain.body.toString()))
  })

  test.each([undefined, '', 'identity', 'br;q=0', 'gzip;q=0, br;q=0, *', ';;,'])(
    'is not compressed for Accept-Encoding %s',
    async (accepted) => {
      const { headers, body } = await ask(request, accepted)
      expect(headers).not.toHaveProperty('content-encoding')
      expect(headers).toMatchObject({ 'content-length': String(body.length) })
    },
  )
})

describe('a large response with an entity tag', () => {
  const path = async () => {
    const created = await app.rest(ada.token, 'POST', '/post', { content: 'ü'.repeat(500) })
    return `/api/v1/post/${(await created.json()).uuid}`
  }
  const request = (method: string, path: string, headers: Record<string, string>) =>
    sendForBytes(app.origin, { method, path, token: ada.token, headers })

  test.each([
    ['br', brotliDecompressSync],
    ['gzip', gunzipSync],
  ])('is compressed as %s with a tag of its own', async (encoding, decompress) => {
    const post = await path()
    const plain = await request('GET', post, {})
    const { headers, body } = await request('GET', post, { 'accept-encoding': encoding })
    const tag = String(plain.headers.etag)
    expect(headers).toMatchObject({
      etag: tag.replace(/"$/, `.${encoding}"`),
      'content-encoding': encoding,
      vary: 'Authorization, accept-encoding',
    })
    expect(decompress(body).equals(plain.body)).toBe(true)
    expect(plain.headers).toMatchObject({ vary: 'Authorization, accept-encoding', etag: tag })
  })

  test('gets 304 for the tag of its encoding, and 200 for that of another', async () => {
    const post = await path()
    for (const encoding of ['br', 'gzip', 'identity']) {
      const { headers } = await request('GET', post, { 'accept-encoding': encoding })
      const etag = String(headers.etag)
      for (const other of ['br', 'gzip', 'identity']) {
        const asked = { 'accept-encoding': other, 'if-none-match': etag }
        const { status, headers: answered } = await request('GET', post, asked)
        expect([encoding, other, status]).toEqual([encoding, other, encoding === other ? 304 : 200])
        if (status === 304) expect(answered).toMatchObject({ etag })
        if (status === 304) expect(answered).not.toHaveProperty('content-encoding')
      }
    }
  })

  test.each(['br', 'gzip', 'identity'])('has a tag for If-Match, as %s', async (encoding) => {
    const post = await path()
    const tagOf = async () => String((await request('GET', post, { 'accept-encoding': encoding })).headers.etag)
    const remove = (etag: string) => request('DELETE', post, { 'if-match': etag })
    const old = await tagOf()
    await app.rest(ada.token, 'PATCH', post.slice('/api/v1'.length), { content: 'ä'.repeat(500) })
    expect((await remove(old)).status).toBe(412)
    expect((await remove(`W/${await tagOf()}`)).status).toBe(412)
    expect((await remove(await tagOf())).status).toBe(200)
  })
})

describe('a small response', () => {
  test.each<readonly [string, Ask]>([
    ['GraphQL', { path: '/graphql', query: '{ viewer { username } }' }],
    ['REST', { path: '/api/v1/user' }],
    ['an error of REST', { path: '/api/v1/post/nothing' }],
    ['health', { path: '/health/live' }],
  ])('of %s is not compressed', async (_what, request) => {
    const { headers, body } = await ask(request, 'br, gzip')
    expect(headers).toMatchObject({ 'content-length': String(body.length) })
    expect(headers).not.toHaveProperty('content-encoding')
    expect(body.toString()).toMatch(/^\{/)
  })
})

test('large responses that are requested together are all complete', async () => {
  const request = { path: '/graphql', query: timeline }
  const plain = await ask(request)
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(request, 'gzip')))
  for (const { body } of answers) expect(gunzipSync(body).equals(plain.body)).toBe(true)
})
