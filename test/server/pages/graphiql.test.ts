import type { Browser, BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { seed } from '../../../src/domain/seed/seed.ts'
import { demoNetwork } from '../../../src/domain/seed/seed-options.ts'
import { issueDemoToken } from '../../../src/server/demo.ts'
import { sharing, startApp, type TestApp } from '../../support/app.ts'
import { chromiumPath, launchChromium } from '../../support/chromium.ts'
import { onPostgres } from '../../support/database.ts'
import { type OpenGraphiQL, openGraphiQL } from '../../support/graphiql.ts'
import { overflowOf, windows } from '../../support/watched-page.ts'

if (!onPostgres && chromiumPath === undefined) {
  console.warn('There is no Chromium: the tests of GraphiQL in a browser are left out. Name one with CHROMIUM.')
}

const timeline = z.object({
  data: z.object({
    homeTimeline: z.object({
      nodes: z
        .array(
          z.object({
            author: z.object({ username: z.string() }),
            replies: z.object({ nodes: z.array(z.object({ content: z.string() })) }),
          }),
        )
        .min(1),
    }),
  }),
})

describe.skipIf(onPostgres || chromiumPath === undefined)('GraphiQL in a browser', () => {
  const demo = { token: '', targets: {} }
  let app: TestApp
  let browser: Browser
  beforeAll(async () => {
    app = await startApp({ demo })
    await seed(app.database, { ...demoNetwork, users: 20, posts: 200, likes: 100, follows: 100, now: new Date() })
    Object.assign(demo, await issueDemoToken(app.database))
    browser = await launchChromium(chromiumPath ?? '')
  })
  afterAll(async () => {
    await browser?.close()
    await app.close()
  })

  // To open the page costs more than most that is done with it.
  describe('that was opened without more', () => {
    let opened: OpenGraphiQL
    beforeAll(async () => {
      opened = await openGraphiQL(browser, app.origin)
    })
    afterAll(() => opened?.page.close())

    test('shows a nested timeline after one click, with the token of the demo and without a network', async () => {
      const { play, textOf, complaints, elsewhere } = opened
      expect(await textOf('query')).toMatch(/^# Your home timeline/)
      const { authorization, body } = await play()
      expect(authorization).toBe(`Bearer ${demo.token}`)
      const { nodes } = timeline.parse(body).data.homeTimeline
      expect(nodes.flatMap(({ replies }) => replies.nodes)).not.toEqual([])
      await expect.poll(() => textOf('response')).toContain(nodes[0]?.author.username)
      expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
    })

    test('has a sample in each of its tabs that works as it is', async () => {
      const { page, play, complaints } = opened
      const samples = [
        { title: 'ToggleLike', data: { toggleLike: { action: 'LIKED', publication: { viewerHasLiked: true } } } },
        { title: 'SendReply', data: { sendReply: { reply: { content: 'Well said!' } } } },
        { title: 'ToggleFollow', data: { toggleFollow: { action: 'FOLLOWED', user: { viewerIsFollowing: true } } } },
      ]
      for (const { title, data } of samples) {
        await page.getByTitle(title, { exact: true }).click()
        // The editor takes a moment to tell which operation is meant, and says so in the URL.
        await page.waitForURL(({ searchParams }) => searchParams.get('query')?.includes(`mutation ${title} `) ?? false)
        expect(await play()).toMatchObject({ body: { data } })
      }
      expect(complaints).toEqual([])
    })
  })

  test('opens with the query, the variables and the headers of its URL', async () => {
    const token = (await app.person('newcomer')).token
    const { page, play, textOf, complaints } = await openGraphiQL(browser, app.origin, {
      query: 'query ($name: String!) { viewer { username } user(by: { username: $name }) { username } }',
      variables: '{ "name": "ada" }',
      headers: JSON.stringify({ Authorization: `Bearer ${token}` }),
    })
    expect(await play()).toEqual({
      authorization: `Bearer ${token}`,
      body: { data: { viewer: { username: 'newcomer' }, user: { username: 'ada' } } },
    })
    expect(await textOf('headers')).toContain(token)
    expect(await textOf('variables')).toContain('"ada"')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('sends the token that is typed or pasted, and says which it sends', async () => {
    const { token } = await app.person('robin')
    const { page, play, reload, complaints } = await openGraphiQL(browser, app.origin, {
      query: '{ viewer { username } }',
    })
    const field = page.getByLabel('Token', { exact: true })
    const inUse = page.getByRole('status')
    expect([await field.inputValue(), await inUse.innerText()]).toEqual([demo.token, 'With the demo’s token'])

    for (const typed of [token, `  Bearer ${token}\n`]) {
      await field.fill(typed)
      expect(await inUse.innerText()).toBe('With this token')
      const robins = { authorization: `Bearer ${token}`, body: { data: { viewer: { username: 'robin' } } } }
      expect(await play()).toEqual(robins)
    }

    await field.fill('two words €')
    expect(await inUse.innerText()).toBe('Not a token, so none is sent')
    expect((await play()).authorization).toBeUndefined()

    await page.getByRole('button', { name: 'Use the demo’s token' }).click()
    expect(await play()).toMatchObject({ authorization: `Bearer ${demo.token}`, body: { data: { viewer: {} } } })

    await field.fill(token)
    await reload()
    expect(await field.inputValue()).toBe(demo.token)
    // Of the one request without a token.
    expect(complaints).toEqual([expect.stringContaining('status of 401')])
    await page.close()
  })

  test('says when the headers have an authorization, which goes first', async () => {
    const { token } = await app.person('wren')
    const { page, play } = await openGraphiQL(browser, app.origin, {
      query: '{ viewer { username } }',
      headers: JSON.stringify({ authorization: `Bearer ${token}` }),
    })
    expect(await play()).toEqual({
      authorization: `Bearer ${token}`,
      body: { data: { viewer: { username: 'wren' } } },
    })
    expect(await page.getByRole('status').innerText()).toBe('The last request had an Authorization of its own')
    await page.close()
  })

  describe.each(windows)('in a window of $viewport.width pixels', ({ viewport, colorSchemes }) => {
    let context: BrowserContext
    let opened: OpenGraphiQL
    beforeAll(async () => {
      context = await browser.newContext({ viewport, colorScheme: colorSchemes[0] })
      opened = await openGraphiQL(context, app.origin)
    })
    afterAll(() => context?.close())

    test.each(colorSchemes)('is at hand in %s colours', async (colorScheme) => {
      const { page, play, textOf, complaints, elsewhere } = opened
      await page.emulateMedia({ colorScheme })
      expect((await play()).authorization).toBe(`Bearer ${demo.token}`)
      await expect.poll(() => textOf('response')).toContain('"homeTimeline": {')
      for (const part of ['.token-bar', '.graphiql-query-editor', '.graphiql-editor-tool', '.graphiql-response']) {
        const box = await page.locator(part).boundingBox()
        expect(box?.width).toBeGreaterThan(200)
        expect((box?.y ?? 0) + (box?.height ?? 0)).toBeLessThanOrEqual(viewport.height)
      }
      expect(await overflowOf(page)).toBe(0)
      expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
    })
  })

  test('takes text of its URL for text', async () => {
    const evil = `</script><script>document.title = 'evil'</script><!--<script>$& $' \u2028`
    const { page, play, textOf, complaints } = await openGraphiQL(browser, app.origin, {
      query: `# ${evil}\n{ __typename }`,
      variables: JSON.stringify({ evil }),
      headers: JSON.stringify({ 'x-evil': '</script><script>document.title = "evil"</script>$&' }),
    })
    expect(await play()).toMatchObject({ body: { data: { __typename: 'Query' } } })
    expect(await textOf('query')).toContain("</script><script>document.title = 'evil'</script><!--<script>$& $'")
    expect(await textOf('headers')).toContain('</script>')
    expect(await page.title()).toBe('Rookery GraphiQL')
    expect(complaints).toEqual([])
    await page.close()
  })

  test('has the token of this start, whatever an earlier one left in the browser', async () => {
    const context = await browser.newContext()
    const stale = { Authorization: 'Bearer rookery_stale' }
    const tab = { id: '1', title: 'Old', query: '{ old }', variables: null, operationName: null, response: null }
    const left = {
      'graphiql:headers': JSON.stringify(stale),
      'graphiql:shouldPersistHeaders': 'true',
      'graphiql:query': tab.query,
      'graphiql:tabState': JSON.stringify({ activeTabIndex: 0, tabs: [{ ...tab, headers: JSON.stringify(stale) }] }),
    }
    await context.addInitScript({ content: `Object.assign(localStorage, ${JSON.stringify(left)})` })
    const { reload, play, textOf } = await openGraphiQL(context, app.origin)
    expect(await textOf('query')).toMatch(/^# Your home timeline/)
    const earlier = demo.token
    expect(await play()).toMatchObject({ authorization: `Bearer ${earlier}` })

    Object.assign(demo, await issueDemoToken(app.database))
    expect(demo.token).not.toBe(earlier)
    await reload()
    const again = await play()
    expect(again.authorization).toBe(`Bearer ${demo.token}`)
    expect(() => timeline.parse(again.body)).not.toThrow()
    await context.close()
  })

  test('reads the schema also without a token', async () => {
    const bare = await startApp({}, sharing(app))
    const { page, play, complaints } = await openGraphiQL(browser, bare.origin)
    expect(await page.getByLabel('Token', { exact: true }).inputValue()).toBe('')
    expect(await page.getByRole('status').innerText()).toBe('Without a token')
    await page.getByRole('button', { name: 'Show Documentation Explorer' }).click()
    await page.getByRole('link', { name: 'Mutation' }).click()
    await page.getByText('Deletes a post or a reply of').waitFor()
    expect(complaints).toEqual([])
    expect(await play()).toMatchObject({
      authorization: undefined,
      body: { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    })
    await page.close()
    await bare.close()
  })
})
