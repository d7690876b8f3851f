import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import { describe, expect, test } from 'vitest'
import { version } from '../../../src/version.ts'
import { sharing, startApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/chromium.ts'
import { publish } from '../../support/publish.ts'
import { watchedPage, withBrowser } from '../../support/watched-page.ts'

const run = promisify(execFile)

describe.skipIf(chromiumPath === undefined)('the landing page', () => {
  const started = withBrowser()

  test('shows a live query, its response, and the same request for a shell', async () => {
    const { app, browser } = started
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
    const { app, browser } = started
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
})
