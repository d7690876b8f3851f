import type { Browser, BrowserContext, Page } from 'playwright-core'

/** A page in a browser, and what it should not have done. */
export type WatchedPage = {
  readonly page: Page
  /** What went wrong in the page: errors and warnings of its console, violations of its policy among them. */
  readonly complaints: readonly string[]
  /** Addresses on another host that the page asked for; they are not reached. */
  readonly elsewhere: readonly string[]
}

/** Opens an empty tab that is watched, and reaches nothing but `origin`. */
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

/** How much wider than the window the page is, in CSS pixels. */
export function overflowOf(page: Page): Promise<number> {
  return page.evaluate('document.documentElement.scrollWidth - innerWidth')
}

/** How light what is behind the page is: 0 is black, 255 white. */
export function lightnessOf(page: Page): Promise<number> {
  return page.evaluate(`(() => {
    const [red, green, blue] = getComputedStyle(document.body).backgroundColor.match(/[0-9.]+/g).map(Number)
    return (red + green + blue) / 3
  })()`)
}

/** The windows that people have, and the colours in which a page is opened there and those that it then changes to. */
export const windows = [
  { viewport: { width: 1280, height: 800 }, colorSchemes: ['light', 'dark'] },
  { viewport: { width: 360, height: 740 }, colorSchemes: ['dark', 'light'] },
] as const
