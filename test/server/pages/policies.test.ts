import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { chromiumPath, launchChromium } from '../../support/chromium.ts'

const strict = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  'img-src data:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
]
const trustedTypes = "require-trusted-types-for 'script'"

/** The policy of each page. */
const policies = {
  '/': [...strict, trustedTypes],
  '/timeline': [...strict, trustedTypes],
  '/nothing-here': [...strict, trustedTypes],
  '/api/v1/user': [...strict, trustedTypes],
  '/api/v1/docs': strict,
  '/graphql': [
    ...strict.map((directive) => (directive.startsWith('style-src') ? `${directive} 'nonce-…'` : directive)),
    "style-src-attr 'unsafe-inline'",
    "font-src 'self'",
    "worker-src 'self'",
  ],
} as const

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = await app.person('ada')
})
afterAll(() => app.close())

async function policyOf(path: string): Promise<string> {
  const { headers } = await fetch(app.origin + path, { headers: { accept: 'text/html' } })
  return headers.get('content-security-policy') ?? ''
}

test.each(Object.entries(policies))('%s has the strictest policy that it works with', async (path, policy) => {
  const text = (await policyOf(path)).replace(/'nonce-[\w+/]{22}=='/, "'nonce-…'")
  expect(text.split('; ')).toEqual(policy)
})

test('each response has another nonce', async () => {
  expect(await policyOf('/graphql')).not.toBe(await policyOf('/graphql'))
})

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium(chromiumPath ?? '')
  })
  afterAll(() => browser?.close())

  // GraphiQL's editor needs style attributes, and makes its style elements with `createElement`.
  test.each([
    ['/timeline', ['style-src-elem', 'style-src-attr']],
    ['/api/v1/docs', ['style-src-elem', 'style-src-attr']],
    ['/graphql', ['style-src-elem']],
  ])('%s blocks inline styles, and nothing of its own', async (path, blocked) => {
    const page = await browser.newPage()
    await page.addInitScript({
      content: `
        globalThis.violations = []
        addEventListener('securitypolicyviolation', (event) => globalThis.violations.push(event.effectiveDirective))
        sessionStorage.setItem('rookery:token', '${ada.token}')`,
    })
    await page.goto(app.origin + path)
    await page.getByText('Signed in as @ada').waitFor()
    expect(await page.evaluate('globalThis.violations')).toEqual([])
    await page.evaluate(`
      const inline = document.createElementNS('http://www.w3.org/1999/xhtml', 'style')
      inline.append('body { color: red }')
      document.head.append(inline)
      document.body.setAttribute('style', 'color: red')`)
    await expect.poll(() => page.evaluate('globalThis.violations')).toEqual(blocked)
    await page.close()
  })
})
