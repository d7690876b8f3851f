import type { Browser, BrowserContext, Page } from 'playwright-core'
import { afterAll, beforeAll } from 'vitest'
import type { ServerOptions } from '../../../src/server/server-options.ts'
import { startApp, type TestApp } from '../app.ts'
import { chromiumPath, launchChromium } from './chromium.ts'

let shared: Promise<Browser> | undefined

/** The browser of this process, which ends with it: starting one is slower than most tests. */
function sharedBrowser(): Promise<Browser> {
  shared ??= launchChromium(chromiumPath ?? '')
  return shared
}

/** Starts the app before the tests of a block, with a browser. Closes the app and the tabs afterwards. */
export function withBrowser(settings: Partial<ServerOptions> = {}): {
  readonly app: TestApp
  readonly browser: Browser
} {
  const started: { app: TestApp; browser: Browser } = Object()
  beforeAll(async () => {
    started.app = await startApp(settings)
    started.browser = await sharedBrowser()
  })
  afterAll(async () => {
    for (const context of started.browser?.contexts() ?? []) await context.close()
    await started.app?.close()
  })
  return started
}

/** A page in a browser, and its errors. */
export type WatchedPage = {
  readonly page: Page
  /** Errors and warnings of its console, including violations of its content security policy. */
  readonly complaints: readonly string[]
  /** Requested URLs of other hosts. */
  readonly elsewhere: readonly string[]
}

/** Opens an empty tab that records errors and requests to other origins than `origin`. */
export async function watchedPage(browser: Browser | BrowserContext, origin: string): Promise<WatchedPage> {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  const elsewhere: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  // Not intercepted, which would switch off the cache: the browser resolves no other host.
  page.on('request', (request) => {
    const { protocol, origin: asked, href } = new URL(request.url())
    if (protocol !== 'data:' && asked !== origin) elsewhere.push(href)
  })
  return { page, complaints, elsewhere }
}

/** The horizontal overflow of the page, in CSS pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth')
}

/** The brightness of the page background: 0 is black, 255 is white. */
export function lightnessOf(page: Page): Promise<number> {
  return page.evaluate(`(() => {
    const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number)
    return (red + green + blue) / 3
  })()`)
}
