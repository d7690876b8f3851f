import { mkdtemp, rm, stat, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Browser, Page } from 'playwright-core'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { barOf } from '../support/browser/bar.ts'
import { chromiumPath, launchChromium } from '../support/browser/chromium.ts'
import { missingGlyphsOf } from '../support/browser/missing-glyphs.ts'
import { watchedPage } from '../support/browser/watched-page.ts'
import { endProcesses, type ServerProcess, startRookery } from '../support/processes/rookery-process.ts'

const maxBytes = 200_000

let folder: string
let server: ServerProcess
let browser: Browser
beforeAll(async () => {
  if (chromiumPath === undefined) throw new Error('The screenshots need Chromium: set CHROMIUM to its path.')
  folder = await mkdtemp(join(tmpdir(), 'rookery-screenshots-'))
  server = await startRookery({ DATA_DIR: folder })
  browser = await launchChromium(chromiumPath)
})
afterAll(async () => {
  await browser?.close()
  await endProcesses()
  await rm(folder, { recursive: true })
})

/** Writes what a page shows to a WebP file, which Playwright itself does not do. */
async function takePicture(page: Page, file: string): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const { data } = await session.send('Page.captureScreenshot', { format: 'webp', quality: 80 })
  await writeFile(file, Buffer.from(data, 'base64'))
}

test.each(['light', 'dark'] as const)('the timeline with the query behind it, in %s colours', async (colorScheme) => {
  const viewport = { width: 1280, height: 800 }
  const context = await browser.newContext({ viewport, colorScheme, deviceScaleFactor: 2 })
  const { page } = await watchedPage(context, server.origin)
  await page.goto(`${server.origin}/timeline`)
  await page.locator('#list article footer').first().waitFor()
  await barOf(page).untilItIs('@ada (demo)')
  expect(await missingGlyphsOf(page)).toEqual([])
  const file = new URL(`../../docs/images/timeline-${colorScheme}.webp`, import.meta.url).pathname
  await takePicture(page, file)
  expect((await stat(file)).size).toBeLessThan(maxBytes)
  await context.close()
})
