import { brotliCompressSync, brotliDecompressSync, constants, gunzipSync } from 'node:zlib'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { printedSchema } from '../../../src/server/schema.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { sendForBytes } from '../../support/http/raw-request.ts'

let app: TestApp
beforeAll(async () => {
  app = await startApp()
})
afterAll(() => app.close())

/** The response byte for byte; `fetch` would decompress it. */
const ask = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  sendForBytes(app.origin, { method, path, headers })

/** The scripts and styles of a page. */
async function assetsOf(path: string): Promise<string[]> {
  const { body } = await ask(path, { accept: 'text/html' })
  return [...body.toString().matchAll(/(?:src|href)="(\/assets\/[^"]+)"/g)].map(([, asset = '']) => asset)
}

const still = ['/schema.graphql', '/api/v1/openapi.json', '/', '/timeline', '/api/v1/docs', '/oauth/callback']

describe('a static resource', () => {
  test.each([
    ['br', 'br', brotliDecompressSync],
    ['gzip, deflate, br, zstd', 'br', brotliDecompressSync],
    ['gzip', 'gzip', gunzipSync],
    ['identity', undefined, Buffer.from],
    [undefined, undefined, Buffer.from],
  ] as const)('is encoded for Accept-Encoding %s as %s', async (accepted, encoding, decode) => {
    for (const path of [...still, ...(await assetsOf('/api/v1/docs'))]) {
      const plain = await ask(path)
      const answer = await ask(path, accepted === undefined ? {} : { 'accept-encoding': accepted })
      expect(answer).toMatchObject({ status: 200 })
      if (plain.body.length > 1_024) expect(answer.headers['content-encoding']).toBe(encoding)
      const body = answer.headers['content-encoding'] ? decode(answer.body) : answer.body
      expect(body.equals(plain.body)).toBe(true)
    }
  })

  test('is encoded once, and therefore better than others', async () => {
    const sizes = { encoded: 0, quick: 0 }
    for (const path of still) {
      const [plain, encoded] = [await ask(path), await ask(path, { 'accept-encoding': 'br' })]
      const quick = brotliCompressSync(plain.body, { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } })
      sizes.encoded += encoded.body.length
      sizes.quick += quick.length
    }
    expect(sizes.encoded).toBeLessThan(sizes.quick)
  })

  test('returns 304 if the client has it', async () => {
    for (const path of still) {
      const etag = String((await ask(path)).headers.etag)
      for (const tags of [etag, `"other", ${etag}`, '*']) {
        const { status, headers: answered, body } = await ask(path, { 'if-none-match': tags })
        expect({ status, etag: answered.etag, length: body.length }).toEqual({ status: 304, etag, length: 0 })
      }
      expect(await ask(path, { 'if-none-match': '"other"' })).toMatchObject({ status: 200 })
    }
  })

  test('is sent as a whole, whatever range is asked for', async () => {
    for (const path of [...still, ...(await assetsOf('/')).slice(0, 1)]) {
      const whole = await ask(path)
      expect(whole.headers['accept-ranges']).toBeUndefined()
      for (const range of ['bytes=0-9', 'bytes=9999999-', 'bytes=5-1']) {
        const { status, body } = await ask(path, { range })
        // Comparing so many bytes with a matcher takes seconds.
        expect([status, body.equals(whole.body)]).toEqual([200, true])
      }
    }
  })

  test('accepts reading methods only', async () => {
    const [asset = ''] = await assetsOf('/api/v1/docs')
    for (const path of [...still, '/api/v1/docs', asset]) {
      const got = await ask(path)
      const head = await ask(path, {}, 'HEAD')
      expect(head.status).toBe(200)
      expect(head.headers['content-length']).toBe(got.headers['content-length'])
      expect(await ask(path, {}, 'OPTIONS')).toMatchObject({ status: 204, headers: { allow: 'GET, HEAD, OPTIONS' } })
      expect(await ask(path, {}, 'POST')).toMatchObject({
        status: 405,
        headers: { allow: 'GET, HEAD, OPTIONS', 'content-type': 'application/problem+json' },
      })
    }
  })
})

describe('scripts and styles', () => {
  test('are cached forever, because their path contains a content hash', async () => {
    const assets = [...(await assetsOf('/api/v1/docs')), ...(await assetsOf('/graphql'))]
    expect(assets.length).toBeGreaterThan(10)
    for (const path of assets) {
      expect(await ask(path)).toMatchObject({
        status: 200,
        headers: {
          'cache-control': 'public, max-age=31536000, immutable',
          'content-type': path.endsWith('.css') ? 'text/css; charset=utf-8' : 'application/javascript; charset=utf-8',
          'x-content-type-options': 'nosniff',
        },
      })
      expect((await ask(path)).headers).not.toHaveProperty('last-modified')
      const [, , hash = ''] = path.split('/')
      for (const other of [path.replace(hash, 'x'), path.replace(`${hash}/`, ''), `${path}x`, `${path}/../x`]) {
        expect(await ask(other)).toMatchObject({ status: 404 })
      }
    }
  })
})

test('/schema.graphql serves the schema', async () => {
  const { headers, body } = await ask('/schema.graphql')
  expect(headers['content-type']).toBe('text/plain; charset=utf-8')
  expect(body.toString()).toBe(await printedSchema())
})
