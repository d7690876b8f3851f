import type { Browser, BrowserContext, Page } from 'playwright-core'

/** A page in a browser, and its errors. */
export type WatchedPage = {
  readonly page: Page
  /** Errors and warnings of its console, including violations of its content security policy. */
  readonly complaints: readonly string[]
  /** Requested URLs of other hosts, which are blocked. */
  readonly elsewhere: readonly string[]
}

/** Opens an empty tab that records errors and can only reach `origin`. */
export async function watchedPage(browser: Browser | BrowserContext, origin: string): Promise<WatchedPage> {
  const page = await browser.newPage()
  page.setDefaultTimeout(60_000)
  const complaints: string[] = []
  const elsewhere: string[] = []
  page.on('pageerror', (error) => complaints.push(String(error)))
  page.on('console', (message) => {
    if (message.type() === 'error' || message.type() === 'warning') complaints.push(message.text())
  })
  await page.route(
    ({ protocol, origin: asked }) => protocol !== 'data:' && asked !== origin,
    (route) => {
      elsewhere.push(route.request().url())
      return route.abort()
    },
  )
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

/** Window sizes, each with the colour scheme on opening and the one after that. */
export const windows = [
  { viewport: { width: 1280, height: 800 }, colorSchemes: ['light', 'dark'] },
  { viewport: { width: 360, height: 740 }, colorSchemes: ['dark', 'light'] },
] as const
