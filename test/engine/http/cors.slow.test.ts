import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { chromiumPath, launchChromium } from '../../support/browser/chromium.ts'

// Another origin than the server's, of which the browser asks first what it may send.
describe.skipIf(chromiumPath === undefined)('a script of another origin', () => {
  let app: TestApp
  let ada: Person
  let browser: Browser
  beforeAll(async () => {
    app = await startApp()
    ada = await app.person('ada')
    browser = await launchChromium(chromiumPath ?? '')
  })
  afterAll(async () => {
    await browser.close()
    await app.close()
  })

  test.each([
    ['/graphql', 'POST', '{"query":"{ viewer { username } }"}'],
    ['/api/v1/post', 'POST', '{"content":"Hello"}'],
  ])('sends the headers of its libraries to %s', async (path, method, body) => {
    const headers = {
      authorization: `Bearer ${ada.token}`,
      'content-type': 'application/json',
      'apollographql-client-name': 'web',
      'apollographql-client-version': '1.0',
      'idempotency-key': '1',
      traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
      'x-requested-with': 'XMLHttpRequest',
    }
    const page = await browser.newPage()
    const answer = await page.evaluate(
      async ([url, init]) => {
        const response = await fetch(url, init)
        return { status: response.status, requestId: response.headers.get('x-request-id') }
      },
      [`${app.origin}${path}`, { method, headers, body }] as const,
    )
    expect(answer).toEqual({ status: 200, requestId: expect.any(String) })
  })

  test('reads that a path does not exist', async () => {
    const page = await browser.newPage()
    const status = page.evaluate(async ([url, init]) => (await fetch(url, init)).status, [
      `${app.origin}/api/v1/post/nothing`,
      { headers: { authorization: `Bearer ${ada.token}` } },
    ] as const)
    expect(await status).toBe(404)
  })
})
