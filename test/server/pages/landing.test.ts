import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { version } from '../../../src/version.ts'
import { sharing, startApp, type TestApp } from '../../support/app.ts'
import { chromiumPath, launchChromium } from '../../support/chromium.ts'
import { publish } from '../../support/publish.ts'
import { lightnessOf, overflowOf, type WatchedPage, watchedPage, windows } from '../../support/watched-page.ts'

const run = promisify(execFile)

describe.skipIf(chromiumPath === undefined)('the landing page', () => {
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

  test('shows a live query, its response, and the same request for a shell', async () => {
    const { token } = await app.person('robin')
    await publish(app, { token }, { content: 'Live on the landing page' })
    const { page, complaints } = await watchedPage(await browser.newContext(), app.origin)
    await page.goto(app.origin)
    await page.getByText('Sign in or sign up above to run this query.').waitFor()
    await page.getByLabel('Token').fill(token)
    await page.getByRole('region', { name: 'Response' }).getByText('Live on the landing page').waitFor()
    const link = await page.getByRole('link', { name: 'Change it in GraphiQL' }).getAttribute('href')
    const query = new URL(link ?? '', app.origin).searchParams.get('query') ?? ''
    expect(await page.getByRole('region', { name: 'Query' }).innerText()).toContain(query)

    const curl = await page.locator('#curl').innerText()
    const { stdout } = await run('sh', ['-c', curl], { env: { ...process.env, TOKEN: token } })
    expect(JSON.parse(stdout)).toMatchObject({
      data: { homeTimeline: { nodes: [{ content: 'Live on the landing page' }] } },
    })
    expect(await page.getByRole('contentinfo').innerText()).toContain(version)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('runs its query where GraphiQL is switched off, and so does the timeline', async () => {
    const closed = await startApp({ graphiql: false, introspection: false }, sharing(app))
    const { token } = await app.person('wren')
    await publish(app, { token }, { content: 'Without GraphiQL' })
    const { page, complaints } = await watchedPage(await browser.newContext(), closed.origin)
    await page.goto(closed.origin)
    await page.getByLabel('Token').fill(token)
    await page.getByRole('region', { name: 'Response' }).getByText('Without GraphiQL').waitFor()
    await page.goto(`${closed.origin}/timeline`)
    await page.locator('#list article', { hasText: 'Without GraphiQL' }).waitFor()
    expect(await page.getByRole('link', { name: 'GraphiQL' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
    await closed.close()
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

    test.each(colorSchemes)('fits the window and is %s', async (colorScheme) => {
      const { page, complaints } = watched
      await page.emulateMedia({ colorScheme })
      expect(await overflowOf(page)).toBe(0)
      const darkness = async () => Math.abs((colorScheme === 'dark' ? 0 : 255) - (await lightnessOf(page)))
      await expect.poll(darkness).toBeLessThan(60)
      expect(complaints).toEqual([])
    })
  })
})
