import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { version } from '../../../src/engine/package.ts'
import { sharing, startApp } from '../../support/app.ts'
import { barOf } from '../../support/browser/bar.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { lightnessOf, overflowOf, watchedPage, withBrowser } from '../../support/browser/watched-page.ts'
import { publish } from '../../support/graphql/publish.ts'

const run = promisify(execFile)

/** Each page, what it shows when it is ready, and which inline styles it blocks: GraphiQL's editor needs style attributes. */
const pages = [
  ['/', '#answer', ['style-src-elem', 'style-src-attr']],
  ['/timeline#/public', 'article', ['style-src-elem', 'style-src-attr']],
  ['/api/v1/docs', '.opblock', ['style-src-elem', 'style-src-attr']],
  ['/graphql', '.graphiql-response', ['style-src-elem']],
] as const

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  const demo = { token: '', targets: {} }
  const started = withBrowser({ demo })

  test.each(pages)(
    '%s fits all windows in both colours, loads nothing from elsewhere, and blocks only inline styles',
    async (path, ready, blocked) => {
      const { app, browser } = started
      demo.token ||= (await app.person()).token
      await publish(app, demo, { content: `x${'y'.repeat(400)}` })
      const { page, complaints, elsewhere } = await watchedPage(browser, app.origin)
      await page.setViewportSize({ width: 320, height: 740 })
      await page.goto(app.origin + path)
      await page.locator(ready).first().waitFor()
      await barOf(page).untilItIs('(demo)')
      for (const width of [320, 390, 1280]) {
        await page.setViewportSize({ width, height: 740 })
        for (const colorScheme of ['light', 'dark'] as const) {
          await page.emulateMedia({ colorScheme })
          expect(await overflowOf(page)).toBe(0)
          expect((await page.getByRole('banner').boundingBox())?.height).toBeLessThan(56)
          const difference = async () => Math.abs((colorScheme === 'dark' ? 0 : 255) - (await lightnessOf(page)))
          await expect.poll(difference).toBeLessThan(60)
        }
        for (const part of await page
          .locator('.graphiql-query-editor, .graphiql-editor-tools, .graphiql-response')
          .all()) {
          const box = (await part.boundingBox()) ?? { y: 0, width: 0, height: 0 }
          expect(box.width).toBeGreaterThan(200)
          expect(box.y + box.height).toBeLessThanOrEqual(740)
        }
      }
      expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
      await page.evaluate(`
      globalThis.violations = []
      addEventListener('securitypolicyviolation', (event) => globalThis.violations.push(event.effectiveDirective))
      const inline = document.createElementNS('http://www.w3.org/1999/xhtml', 'style')
      inline.append('body { color: red }')
      document.head.append(inline)
      document.body.setAttribute('style', 'color: red')`)
      await expect.poll(() => page.evaluate('globalThis.violations')).toEqual(blocked)
      await page.close()
    },
  )

  test('the landing page shows a live query, its response, and the same request for a shell, all in full', async () => {
    const { app, browser } = started
    const { token } = await app.person('robin')
    await publish(app, { token }, { content: 'Live on the landing page' })
    const { page, complaints } = await watchedPage(browser, app.origin)
    await page.goto(app.origin)
    const bar = barOf(page)
    await bar.press('Sign out')
    await bar.notice.getByText('You are not signed in.').waitFor()
    await page.getByText('The response appears here once you are signed in.').waitFor()
    await bar.enter(token)
    await page.getByRole('region', { name: 'Response' }).getByText('Live on the landing page').waitFor()
    expect(await bar.notice.isVisible()).toBe(false)
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 740 })
      const cut = `Array.from(document.querySelectorAll('pre')).filter((pre) =>
        pre.scrollWidth > pre.clientWidth || pre.scrollHeight > pre.clientHeight).length`
      expect(await page.evaluate(cut)).toBe(0)
    }
    const link = await page.getByRole('link', { name: 'Run the query in GraphiQL' }).getAttribute('href')
    const query = new URL(link ?? '', app.origin).searchParams.get('query') ?? ''
    expect(await page.getByRole('region', { name: 'Query' }).innerText()).toContain(query)

    const curl = await page.locator('#curl').innerText()
    const { stdout } = await run('sh', ['-c', curl], { env: { ...process.env, TOKEN: token } })
    expect(JSON.parse(stdout)).toMatchObject({
      data: { viewer: { posts: { nodes: [{ content: 'Live on the landing page' }] } } },
    })
    expect(await page.getByRole('contentinfo').innerText()).toContain(version)
    expect(complaints).toEqual([])
    await page.close()
  })

  test('the landing page runs its query where GraphiQL is switched off, and so does the timeline', async () => {
    const { app, browser } = started
    const closed = await startApp({ graphiql: false, introspection: false }, sharing(app))
    const { token } = await app.person('wren')
    await publish(app, { token }, { content: 'Without GraphiQL' })
    const { page, complaints } = await watchedPage(browser, closed.origin)
    await page.goto(closed.origin)
    await barOf(page).enter(token)
    await page.getByRole('region', { name: 'Response' }).getByText('Without GraphiQL').waitFor()
    await page.goto(`${closed.origin}/timeline`)
    await page.locator('#list article', { hasText: 'Without GraphiQL' }).waitFor()
    expect(await page.getByRole('link', { name: 'GraphiQL' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await page.close()
    await closed.close()
  })
})
