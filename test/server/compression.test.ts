import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../support/app.ts'
import { sendForBytes } from '../support/raw-request.ts'
import { anyChanging } from '../support/rest-answer.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
  const grace = await app.person('grace')
  await app.rest(grace.token, 'POST', '/post', { content: '語'.repeat(480) })
  for (let nth = 0; nth < 5; nth++) await app.rest(ada.token, 'POST', '/post', { content: `Über ${nth} `.repeat(60) })
})
afterAll(() => app.close())

type Ask = {
  readonly method?: string
  readonly path: string
  readonly token?: string
  readonly headers?: Record<string, string>
  readonly pieces?: readonly string[]
}

/** The response byte for byte: `fetch` would decompress it. */
const ask = ({ method = 'GET', headers = {}, token = ada.token, ...rest }: Ask, accepted?: string) =>
  sendForBytes(app.origin, {
    ...{ method, token, ...rest },
    headers: { ...headers, ...(accepted === undefined ? {} : { 'accept-encoding': accepted }) },
  })

const graphql = (query: string, accept?: string): Ask => ({
  method: 'POST',
  path: '/graphql',
  headers: { 'content-type': 'application/json', ...(accept === undefined ? {} : { accept }) },
  pieces: [JSON.stringify({ query })],
})

const timeline = '{ homeTimeline(first: 5) { nodes { uuid content author { username } } } }'
/** A post of 480 characters, which take more than 1 KiB. */
const multiByte = '{ user(by: { username: "grace" }) { posts(first: 1) { nodes { content } } } }'
/** Repeats an unknown field, so that its errors take more than 1 KiB. */
const invalid = `{ ${Array.from({ length: 15 }, (_, nth) => `unknownField${nth}`).join(' ')} }`

const large: readonly (readonly [string, () => Ask])[] = [
  ['GraphQL', () => graphql(timeline)],
  ['GraphQL in another media type', () => graphql(timeline, 'application/graphql-response+json;q=0.9, */*;q=0.1')],
  ['GraphQL by GET', () => ({ path: `/graphql?query=${encodeURIComponent(timeline)}` })],
  ['GraphQL with errors', () => graphql(invalid, 'application/graphql-response+json')],
  ['GraphQL with few characters of several bytes', () => graphql(multiByte)],
  ['REST', () => ({ path: '/api/v1/user/@ada/posts/1' })],
  ['the REST documentation', () => ({ path: '/api/v1/docs' })],
  ['GraphiQL', () => ({ path: '/graphql', headers: { accept: 'text/html' } })],
  ['the OpenAPI document', () => ({ path: '/api/v1/openapi.json' })],
  ['the GraphQL schema', () => ({ path: '/schema.graphql' })],
]

/** A page but for the nonce of its policy, which each response makes anew. */
const withoutNonce = (page: string) => page.replaceAll(/nonce[-=]"?[\w+/=]+/g, 'nonce')

describe.each(large)('a large response of %s', (_what, request) => {
  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['gzip, deflate, br', 'br', brotliDecompressSync],
    ['gzip;q=1, br;q=0.5', 'gzip', gunzipSync],
    ['br;q=0, *', 'gzip', gunzipSync],
    ['GZIP', 'gzip', gunzipSync],
    ['identity;q=0, gzip;q=0.1', 'gzip', gunzipSync],
  ])('is compressed for Accept-Encoding %s as %s', async (accepted, encoding, decompress) => {
    const plain = await ask(request())
    const { status, headers, body } = await ask(request(), accepted)
    expect(status).toBe(plain.status)
    expect(headers).toMatchObject({ 'content-encoding': encoding, 'content-length': String(body.length) })
    expect(headers.vary).toBe('Accept-Encoding')
    expect(body.length).toBeLessThan(plain.body.length)
    expect(withoutNonce(decompress(body).toString())).toBe(withoutNonce(plain.body.toString()))
  })

  test.each([
    undefined,
    '',
    'identity',
    'deflate',
    'br;q=0',
    'gzip;q=0, br;q=0',
    '*;q=0',
    'identity, gzip;q=0.5',
    ';;,',
    // Too long to parse.
    `br, ${'gzip, '.repeat(200)}`,
  ])('is not compressed for Accept-Encoding %s', async (accepted) => {
    const { headers, body } = await ask(request(), accepted)
    expect(headers['content-encoding']).toBeUndefined()
    expect(headers).toMatchObject({ vary: 'Accept-Encoding', 'content-length': String(body.length) })
  })
})

test.each(['br', 'gzip', undefined])('HEAD has the headers of GET with Accept-Encoding %s', async (accepted) => {
  for (const [, request] of large.filter(([, made]) => made().method === undefined)) {
    const get = await ask(request(), accepted)
    const head = await ask({ ...request(), method: 'HEAD' }, accepted)
    expect(head).toEqual({ status: get.status, headers: anyChanging(get.headers), body: Buffer.alloc(0) })
  }
})

describe('a small response', () => {
  test.each<readonly [string, Ask]>([
    ['GraphQL', graphql('{ viewer { username } }')],
    ['an error of GraphQL', graphql('{ unknown }')],
    ['REST', { path: '/api/v1/user' }],
    ['an error of REST', { path: '/api/v1/post/nothing' }],
    ['an unknown path', { path: '/nothing' }],
    ['health', { path: '/health/live' }],
  ])('of %s is not compressed', async (_what, request) => {
    const { headers, body } = await ask(request, 'br, gzip')
    expect(headers).toMatchObject({ 'content-length': String(body.length) })
    expect(headers).not.toHaveProperty('content-encoding')
    expect(headers.vary).not.toBe('Accept-Encoding')
    expect(body.toString()).toMatch(/^\{/)
  })
})

test('large responses that are requested together are all complete', async () => {
  const plain = await ask(graphql(timeline))
  const answers = await Promise.all(Array.from({ length: 20 }, () => ask(graphql(timeline), 'gzip')))
  for (const { body } of answers) expect(gunzipSync(body).equals(plain.body)).toBe(true)
})
