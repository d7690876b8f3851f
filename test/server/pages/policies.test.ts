import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { chromiumPath, launchChromium } from '../../support/chromium.ts'
import { publish } from '../../support/publish.ts'
import { watchedPage } from '../../support/watched-page.ts'

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
  await publish(app, ada, { content: 'A post' })
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

const violations = z.array(z.object({ directive: z.string(), blocked: z.string() }))

/** What the policy of the page has blocked so far. */
const blockedBy = async (page: Page) => violations.parse(await page.evaluate('globalThis.violations'))

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  let browser: Browser
  beforeAll(async () => {
    browser = await launchChromium(chromiumPath ?? '')
  })
  afterAll(() => browser?.close())

  /** Opens a page that records what its policy blocks, with the token of Ada. */
  async function open(path: string): Promise<Page> {
    const context = await browser.newContext()
    await context.addInitScript({
      content: `
        globalThis.violations = []
        addEventListener('securitypolicyviolation', ({ effectiveDirective: directive, blockedURI: blocked }) =>
          globalThis.violations.push({ directive, blocked }))
        sessionStorage.setItem('rookery:token', '${ada.token}')`,
    })
    const { page } = await watchedPage(context, app.origin)
    await page.goto(app.origin + path)
    return page
  }

  test('the REST docs violate nothing while operations are open and one is executed', async () => {
    const page = await open('/api/v1/docs')
    await page.locator('.opblock-post:has([data-path="/reply"]) .opblock-summary-control').click()
    const own = page.locator('.opblock-get:has([data-path="/user"])')
    await own.locator('.opblock-summary-control').click()
    await own.getByRole('button', { name: 'Execute' }).click()
    await own.locator('.live-responses-table .highlight-code').first().waitFor()
    expect(await blockedBy(page)).toEqual([])
    await page.context().close()
  })

  test('GraphiQL violates nothing while a query runs and its panels are open, and blocks styles in markup', async () => {
    const page = await open('/graphql?query={viewer{username}}')
    await page.locator('.graphiql-query-editor .view-lines', { hasText: 'viewer' }).waitFor()
    const response = page.locator('.graphiql-response .view-lines', { hasText: 'ada' })
    const execute = async () => {
      await page.getByRole('button', { name: 'Execute query' }).click()
      await response.waitFor({ timeout: 5_000 }).catch(() => undefined)
      return response.isVisible()
    }
    // The button has no effect until the schema is loaded.
    await expect.poll(execute, { timeout: 60_000 }).toBe(true)
    for (const panel of ['Show Documentation Explorer', 'Show History']) {
      await page.getByRole('button', { name: panel }).click()
    }
    await page.getByRole('button', { name: 'Open settings dialog' }).click()
    await page.getByRole('dialog').waitFor()
    expect(await blockedBy(page)).toEqual([])

    await page.evaluate(`document.body.insertAdjacentHTML('beforeend', '<style>body { color: red }</style>')`)
    await expect.poll(() => blockedBy(page)).toEqual([{ directive: 'style-src-elem', blocked: 'inline' }])
    await page.context().close()
  })

  test.each(['/timeline', '/api/v1/docs'])('%s blocks inline styles', async (path) => {
    const page = await open(path)
    await page.getByText('Signed in as @ada').waitFor()
    expect(await blockedBy(page)).toEqual([])
    await page.evaluate(`
      const inline = document.createElement('style')
      inline.append('body { color: red }')
      document.head.append(inline)
      document.body.setAttribute('style', 'color: red')`)
    const blocked = 'inline'
    await expect
      .poll(() => blockedBy(page))
      .toEqual([
        { directive: 'style-src-elem', blocked },
        { directive: 'style-src-attr', blocked },
      ])
    await page.context().close()
  })
})
