import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { sharing, startApp, type TestApp } from '../../support/app.ts'
import { sendForBytes } from '../../support/http/raw-request.ts'
import { textOf } from '../../support/project/source-files.ts'
import { anyRequestId, readAnswer } from '../../support/rest/answer.ts'

let app: TestApp
let behindProxies: TestApp
beforeAll(async () => {
  app = await startApp()
  behindProxies = await startApp({ trustedProxies: 2, prefix: '/rookery' }, sharing(app))
})
afterAll(async () => {
  await behindProxies.close()
  await app.close()
})

const file = JSON.parse(textOf('docs/openapi.json'))

/** The document with the absolute addresses of the authorization server. */
const atOrigin = (document: object) =>
  JSON.parse(JSON.stringify(document).replaceAll('Url":"/oauth/', `Url":"${app.origin}/oauth/`))

test.each(['/openapi.json', '/openapi.json/', '/openapi.json?color=blue'])(
  '%s is served without a token',
  async (path) => {
    for (const token of [undefined, 'nonsense']) {
      const response = await app.rest(token, 'GET', path)
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      const [server] = file.servers
      expect(await readAnswer(response)).toEqual({
        status: 200,
        headers: { 'content-type': 'application/json', 'api-version': 'V26.07.22' },
        requestId: anyRequestId,
        body: atOrigin({ ...file, servers: [{ ...server, url: `${app.origin}/api/v1` }] }),
      })
    }
  },
)

describe('the server in the OpenAPI document', () => {
  const document = z.object({ servers: z.tuple([z.object({ url: z.string() })]) })
  const get = async ({ origin }: TestApp, headers: Record<string, string>) => {
    const { body, headers: answered } = await sendForBytes(origin, {
      method: 'GET',
      path: '/api/v1/openapi.json',
      headers,
    })
    return { url: document.parse(JSON.parse(body.toString())).servers[0].url, etag: String(answered.etag) }
  }
  const host = 'social.example.org'

  test.each([
    [{ host: 'localhost' }, 'http://localhost/api/v1'],
    [{ host: '127.0.0.1:8080', 'x-forwarded-proto': 'https', 'x-forwarded-host': 'x' }, 'http://127.0.0.1:8080/api/v1'],
    [{ host: '[::1]:4000' }, 'http://[::1]:4000/api/v1'],
    [{ host: '127.0.0.2:4000' }, 'http://127.0.0.2:4000/api/v1'],
    [{ host }, '/api/v1'],
    [{ host: '$&' }, '/api/v1'],
  ])('of a request with %j is %s', async (headers, url) => {
    expect((await get(app, headers)).url).toBe(url)
  })

  test.each([
    ['https', 'https://localhost/rookery/api/v1'],
    ['http', 'http://localhost/rookery/api/v1'],
    ['https, http', 'https://localhost/rookery/api/v1'],
    ['http, https,http', 'https://localhost/rookery/api/v1'],
    [undefined, '/rookery/api/v1'],
    ['', '/rookery/api/v1'],
    ['javascript', '/rookery/api/v1'],
  ])('behind two proxies that say %s is %s', async (scheme, url) => {
    const forwarded: Record<string, string> = scheme === undefined ? {} : { 'x-forwarded-proto': scheme }
    expect((await get(behindProxies, { host: 'localhost', ...forwarded })).url).toBe(url)
  })

  test('is that of PUBLIC_URL, whatever a request says', async () => {
    const known = await startApp({ publicUrl: 'https://social.example.org' }, sharing(app))
    for (const host of ['localhost', 'evil.example'])
      expect((await get(known, { host })).url).toBe('https://social.example.org/api/v1')
    await known.close()
  })

  test('changes the entity tag', async () => {
    const [one, other, again] = [{ host }, { host: 'localhost' }, { host }].map((headers) => get(app, headers))
    expect((await one)?.etag).not.toBe((await other)?.etag)
    expect((await again)?.etag).toBe((await one)?.etag)
  })

  test('is relative once too many of this machine were asked for', async () => {
    const asked = await startApp({}, sharing(app))
    const urls = new Set<string>()
    for (let port = 1; port < 20; port += 1) urls.add((await get(asked, { host: `localhost:${port}` })).url)
    expect(urls.size).toBeLessThan(12)
    expect(urls).toContain('/api/v1')
    expect((await get(asked, { host: 'localhost:1' })).url).toBe('http://localhost:1/api/v1')
    await asked.close()
  })
})
