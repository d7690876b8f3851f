import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { chromiumPath, launchChromium } from '../../support/chromium.ts'
import { onPostgres } from '../../support/database.ts'
import { lightnessOf, overflowOf, watchedPage, windows } from '../../support/watched-page.ts'

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
      expect(await page.goto(`${app.origin}${path}`, { waitUntil: 'commit' }).then((answer) => answer?.status())).toBe(
        200,
      )
    }
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
    await page.close()
  })

  test.each(windows)('is as wide as the window, in $colorScheme and $viewport.width pixels', async (window) => {
    const context = await browser.newContext(window)
    const { page, complaints } = await watchedPage(context, app.origin)
    await page.goto(app.origin)
    expect(await overflowOf(page)).toBe(0)
    const lightness = await lightnessOf(page)
    expect(window.colorScheme === 'dark' ? lightness : 255 - lightness).toBeLessThan(60)
    expect(complaints).toEqual([])
    await context.close()
  })
})
