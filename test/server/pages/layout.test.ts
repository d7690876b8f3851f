import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../../support/chromium.ts'
import { publish } from '../../support/publish.ts'
import { lightnessOf, overflowOf, watchedPage, withBrowser } from '../../support/watched-page.ts'

/** Each page, with what it shows when it is ready. */
const pages = [
  ['/', '#answer'],
  ['/timeline#/public', 'article'],
  ['/api/v1/docs', '.opblock'],
  ['/graphql', '.graphiql-response'],
] as const
const windows = [
  { viewport: { width: 1280, height: 800 }, colorSchemes: ['light', 'dark'] },
  { viewport: { width: 360, height: 740 }, colorSchemes: ['dark', 'light'] },
] as const

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  const demo = { token: '', targets: {} }
  const started = withBrowser({ demo })

  describe.each(windows)('with a window of $viewport.width pixels', ({ viewport, colorSchemes }) => {
    test.each(pages)('%s fits it in both of its colours, and loads nothing from elsewhere', async (path, ready) => {
      const { app, browser } = started
      demo.token ||= (await app.person()).token
      await publish(app, demo, { content: `x${'y'.repeat(400)}` })
      const context = await browser.newContext({ viewport, colorScheme: colorSchemes[0] })
      const { page, complaints, elsewhere } = await watchedPage(context, app.origin)
      await page.goto(app.origin + path)
      await page.locator(ready).first().waitFor()
      for (const colorScheme of colorSchemes) {
        await page.emulateMedia({ colorScheme })
        expect(await overflowOf(page)).toBe(0)
        const difference = async () => Math.abs((colorScheme === 'dark' ? 0 : 255) - (await lightnessOf(page)))
        await expect.poll(difference).toBeLessThan(60)
      }
      for (const part of await page
        .locator('.graphiql-query-editor, .graphiql-editor-tools, .graphiql-response')
        .all()) {
        const { y = 0, width = 0, height = 0 } = (await part.boundingBox()) ?? {}
        expect(width).toBeGreaterThan(200)
        expect(y + height).toBeLessThanOrEqual(viewport.height)
      }
      expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
      await context.close()
    })
  })
})
