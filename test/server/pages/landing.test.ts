import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { chromiumPath, launchChromium } from '../../support/chromium.ts'
import { onPostgres } from '../../support/database.ts'
import { lightnessOf, overflowOf, type WatchedPage, watchedPage, windows } from '../../support/watched-page.ts'

describe.skipIf(onPostgres || chromiumPath === undefined)('the landing page', () => {
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await startApp()
    browser = await launchChromium(chromiumPath ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await app.close()
  })

  test('leads to all that can be read, and nowhere else', async () => {
    const { page, complaints, elsewhere } = await watchedPage(browser, app.origin)
    await page.goto(app.origin)
    const links = await page.getByRole('link').all()
    const paths = await Promise.all(links.map((link) => link.getAttribute('href')))
    expect(paths).toEqual(
      expect.arrayContaining(['/graphql', '/api/v1/docs', '/schema.graphql', '/api/v1/openapi.json', '/health/ready']),
    )
    for (const path of paths) {
      const answer = await page.request.get(`${app.origin}${path}`, { headers: { accept: 'text/html,*/*;q=0.8' } })
      expect(answer.status()).toBe(200)
    }
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
    await page.close()
  })

  describe.each(windows)('in a window of $viewport.width pixels', ({ viewport, colorSchemes }) => {
    let context: BrowserContext
    let watched: WatchedPage
    beforeAll(async () => {
      context = await browser.newContext({ viewport, colorScheme: colorSchemes[0] })
      watched = await watchedPage(context, app.origin)
      await watched.page.goto(app.origin)
    })
    afterAll(() => context?.close())

    test.each(colorSchemes)('is as wide as the window and %s', async (colorScheme) => {
      const { page, complaints } = watched
      await page.emulateMedia({ colorScheme })
      expect(await overflowOf(page)).toBe(0)
      const darkness = async () => Math.abs((colorScheme === 'dark' ? 0 : 255) - (await lightnessOf(page)))
      await expect.poll(darkness).toBeLessThan(60)
      expect(complaints).toEqual([])
    })
  })
})
