import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { sendForBytes } from '../../support/http/raw-request.ts'

const browsers = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8'
const nobody = '00000000-0000-7000-8000-000000000000'

describe('a refusal', () => {
  let app: TestApp
  let token: string
  beforeAll(async () => {
    app = await startApp()
    token = (await app.person()).token
  })
  afterAll(() => app.close())

  const ask = async (
    path: string,
    accept: string | undefined,
    { origin, ...more }: { token?: string; method?: string; origin?: string } = {},
  ) => {
    const headers: Record<string, string> = { ...(accept && { accept }), ...(origin && { origin }) }
    const answer = await sendForBytes(app.origin, { method: 'GET', path, headers, ...more })
    return { ...answer, body: answer.body.toString() }
  }

  test('with 401 or 404 is a page for browsers, with the headers of the refusal', async () => {
    const missing = await ask('/api/v1/user', browsers)
    expect(missing.status).toBe(401)
    expect(missing.headers).toMatchObject({
      'content-type': 'text/html; charset=utf-8',
      'www-authenticate': expect.stringMatching(/^Bearer realm="rookery"/),
      'api-version': expect.any(String),
      'content-length': String(Buffer.byteLength(missing.body)),
      vary: 'Accept',
    })
    expect(missing.body).toContain('href="/api/v1/docs"')
    for (const path of [`/api/v1/post/${nobody}`, '/api/v1/nothing', '/nothing']) {
      const { status, headers, body } = await ask(path, browsers, { token })
      expect({ status, type: headers['content-type'], vary: headers.vary }).toEqual({
        status: 404,
        type: 'text/html; charset=utf-8',
        vary: 'Accept',
      })
      expect(body).toContain('Page not found')
    }
  })

  test('is the same problem document as before for all other clients', async () => {
    const tooLong = `text/html, ${'text/plain, '.repeat(100)}`
    for (const accept of [
      undefined,
      '*/*',
      'application/json',
      'application/problem+json',
      'text/html;q=0.5, */*',
      tooLong,
    ]) {
      for (const path of ['/api/v1/user', '/nothing']) {
        const { headers, body } = await ask(path, accept)
        expect(headers).toMatchObject({ 'content-type': 'application/problem+json', vary: 'Accept' })
        expect(JSON.parse(body)).toMatchObject({ code: path === '/nothing' ? 'NOT_FOUND' : 'UNAUTHENTICATED' })
      }
    }
  })

  test('of a form is a page for browsers, with its text escaped, whatever its status', async () => {
    const { status, headers, body } = await ask('/oauth/connections', browsers, { method: 'POST', origin: 'null' })
    expect({ status, type: headers['content-type'] }).toEqual({ status: 403, type: 'text/html; charset=utf-8' })
    expect(body).toContain('<p>This form was sent by a page of another site.</p>')
  })

  test('of a write, or with another status, stays a problem document for browsers', async () => {
    for (const [path, method, code] of [
      ['/api/v1/post', 'POST', 'UNAUTHENTICATED'],
      [`/api/v1/user/${nobody}/following?page=0`, 'GET', 'VALIDATION_FAILED'],
    ] as const) {
      const { headers, body } = await ask(path, browsers, { method, ...(method === 'GET' ? { token } : {}) })
      expect(headers['content-type']).toBe('application/problem+json')
      expect(JSON.parse(body)).toMatchObject({ code })
    }
  })
})
