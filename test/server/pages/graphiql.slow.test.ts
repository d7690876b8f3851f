import { execFile } from 'node:child_process'
import { promisify } from 'node:util'
import type { Browser, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { issueDemoToken } from '../../../src/features/demo/demo-token.ts'
import { seed } from '../../../src/features/demo/seed.ts'
import { demoNetwork } from '../../../src/features/demo/seed-options.ts'
import { sharing, startApp, type TestApp } from '../../support/app.ts'
import { barOf } from '../../support/browser/bar.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { type OpenGraphiQL, openGraphiQL } from '../../support/browser/graphiql.ts'
import { withBrowser } from '../../support/browser/watched-page.ts'
import { publish } from '../../support/graphql/publish.ts'

const run = promisify(execFile)

/** The name of the operation in the tab that is open, as GraphiQL stores it. */
const storedOperation = (page: Page): Promise<unknown> =>
  page.evaluate(`(() => {
    const { tabs, activeTabIndex } = JSON.parse(localStorage.getItem('rookery:graphiql:tabState'))
    return tabs[activeTabIndex].operationName
  })()`)

describe.skipIf(chromiumPath === undefined)('GraphiQL in a browser', () => {
  const demo = { token: '', targets: {} }
  const started = withBrowser({ demo })
  let app: TestApp
  let browser: Browser
  // Opening the page is slower than most of the steps, so the tests go on with it.
  let opened: OpenGraphiQL
  beforeAll(async () => {
    ;({ app, browser } = started)
    await seed(app.database, { ...demoNetwork, users: 20, posts: 200, likes: 100, follows: 100, now: new Date() })
    Object.assign(demo, await issueDemoToken(app.database))
    opened = await openGraphiQL(browser, app.origin)
  })

  test('runs the nested timeline on opening and again on request, with the demo token and without other hosts', async () => {
    const { play, textOf, complaints, elsewhere } = opened
    await expect.poll(() => textOf('response')).toContain('"homeTimeline"')
    expect(await textOf('query')).toMatch(/^# Posts by you/)
    const { authorization, body } = await play()
    expect(authorization).toBe(`Bearer ${demo.token}`)
    const replies = { nodes: expect.arrayContaining([expect.anything()]) }
    const nodes = expect.arrayContaining([expect.objectContaining({ replies })])
    expect(body).toMatchObject({ data: { homeTimeline: { nodes } } })
    await opened.page.getByText(/^Status 200 · \d+ ms · cost \d,\d+$/).waitFor()
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
  })

  test('has a working sample in each tab', async () => {
    const { page, play, textOf, complaints } = opened
    for (const panel of ['Show Documentation Explorer', 'Show History', 'Hide History']) {
      await page.getByRole('button', { name: panel }).click()
    }
    const samples = [
      { title: 'Pages', data: { publicTimeline: { pageInfo: { hasNextPage: true } } } },
      { title: 'Replies', data: { post: { replies: {} } } },
      { title: 'ToggleLike', data: { toggleLike: { action: 'LIKED', publication: { viewerHasLiked: true } } } },
      { title: 'SendReply', data: { sendReply: { reply: { content: 'Well said!' } } } },
      { title: 'ToggleFollow', data: { toggleFollow: { action: 'FOLLOWED', user: { viewerIsFollowing: true } } } },
    ]
    for (const { title, data } of samples) {
      await page.getByTitle(title, { exact: true }).click()
      // The editor takes a moment to find out which operations there are.
      await expect.poll(() => storedOperation(page)).toBe(title)
      expect(await play()).toMatchObject({ body: { data } })
    }
    await page.getByTitle('Live', { exact: true }).click()
    await expect.poll(() => storedOperation(page)).toBe('Live')
    const stream = page.waitForResponse((response) => response.headers()['content-type'] === 'text/event-stream')
    await page.getByRole('button', { name: 'Execute query' }).click()
    await stream
    await publish(app, demo, { content: 'Shown at once' })
    await expect.poll(() => textOf('response')).toContain('Shown at once')
    await page.getByRole('button', { name: 'Stop query' }).click()
    await page.getByTitle('Failure', { exact: true }).click()
    await expect.poll(() => storedOperation(page)).toBe('Failure')
    const invalid = { code: 'VALIDATION_FAILED', errors: [{ field: 'content' }] }
    expect(await play()).toMatchObject({ body: { errors: [{ path: ['sendPost'], extensions: invalid }] } })
    for (const part of ['"locations"', '"extensions"', '"VALIDATION_FAILED"', '"field"']) {
      await expect.poll(() => textOf('response')).toContain(part)
    }
    expect(complaints).toEqual([])
  })

  test('sends a typed or pasted token and shows which one it sends, but never the demo token of an earlier start', async () => {
    const { token } = await app.person('robin')
    const { page, play, reload, complaints } = opened
    const bar = barOf(page)
    await page.getByTitle('Home', { exact: true }).click()
    await expect.poll(() => storedOperation(page)).toBe('Home')
    expect(await bar.token()).toBe(demo.token)
    await bar.untilItIs('@ada (demo)')

    await bar.enter(`  Bearer ${token}\n`)
    await bar.untilItIs('@robin')
    expect(await play()).toMatchObject({ authorization: `Bearer ${token}`, body: { data: { homeTimeline: {} } } })
    await bar.enter('two words €')
    await bar.notice.getByText('This is not a valid token, so requests are sent without one.').waitFor()
    expect((await play()).authorization).toBeUndefined()
    // From the request without a token.
    expect(complaints).toEqual([expect.stringContaining('status of 401')])
    await bar.press('Sign out')
    expect(await bar.token()).toBe('')
    await bar.notice.getByText('You are not signed in.').waitFor()
    await bar.press('Use the demo')
    const earlier = demo.token
    expect(await play()).toMatchObject({ authorization: `Bearer ${earlier}`, body: { data: { homeTimeline: {} } } })
    Object.assign(demo, await issueDemoToken(app.database))
    expect(demo.token).not.toBe(earlier)
    await reload()
    expect(await play()).toMatchObject({ authorization: `Bearer ${demo.token}`, body: { data: { homeTimeline: {} } } })
    await page.close()
  })

  test('opens with what its address says, as text, and keeps tokens and headers out of links and local storage', async () => {
    const { token } = await app.person('wren')
    const evil = `</script><script>document.title = 'evil'</script><!--<script>$& $' \u2028`
    const context = await browser.newContext()
    await context.grantPermissions(['clipboard-read', 'clipboard-write'])
    const variables = JSON.stringify({ kept: evil })
    const { page, play, textOf, complaints } = await openGraphiQL(context, app.origin, {
      query: `# ${evil}\n{ viewer { username } }`,
      variables,
      headers: JSON.stringify({ authorization: `Bearer ${token}`, 'x-evil': '</script><script>$&' }),
    })
    expect(await play()).toEqual({ authorization: `Bearer ${token}`, body: { data: { viewer: { username: 'wren' } } } })
    await page.getByText(/^Status 200 · \d+ ms · cost \d+ · own Authorization header$/).waitFor()
    expect(await textOf('query')).toContain("</script><script>document.title = 'evil'</script><!--<script>$& $'")
    expect(await textOf('headers')).toContain('</script>')
    expect(await page.title()).toBe('GraphiQL – Rookery')

    await page.getByRole('button', { name: 'Copy link' }).click()
    const link = new URL(await page.evaluate('navigator.clipboard.readText()'))
    const query = expect.stringContaining('{ viewer { username } }')
    expect(Object.fromEntries(link.searchParams)).toEqual({ query, variables })
    await page.getByRole('button', { name: 'Copy as curl' }).click()
    const command: string = await page.evaluate('navigator.clipboard.readText()')
    expect(command).not.toMatch(/rookery_/)
    expect(command).toContain('x-evil: </script>')
    const { stdout } = await run('sh', ['-c', command], { env: { ...process.env, TOKEN: token } })
    expect(JSON.parse(stdout)).toEqual({ data: { viewer: { username: 'wren' } } })
    await page.goto(`${app.origin}/graphql`)
    await expect.poll(() => textOf('query')).toContain('{ viewer { username } }')
    await expect.poll(() => textOf('variables')).toContain('"kept"')
    const stored = await page.evaluate('JSON.stringify({ ...localStorage })')
    expect(stored).not.toMatch(/rookery_/)
    expect(stored).toContain('viewer')
    expect(complaints).toEqual([])
    await context.close()
  })

  test('reads the schema without a token', async () => {
    const bare = await startApp({}, sharing(app))
    const { page, play, textOf, complaints } = await openGraphiQL(browser, bare.origin)
    const bar = barOf(page)
    expect(await bar.token()).toBe('')
    await bar.notice.getByText('You are not signed in.').waitFor()
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByRole('link', { name: 'Mutation' }).click()
    await page.getByText("Deletes one of the viewer's posts or replies; replies to it stay").waitFor()
    expect(complaints).toEqual([])
    expect(await textOf('query')).toContain('mutation SignUp')
    await page.getByTitle('Home', { exact: true }).click()
    await expect.poll(() => storedOperation(page)).toBe('Home')
    expect(await play()).toMatchObject({
      authorization: undefined,
      body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    })
    await page.close()
    await bare.close()
  })
})
