import type { Browser, Page, Request, Route } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { barOf } from '../../support/browser/bar.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { overflowOf, withBrowser } from '../../support/browser/watched-page.ts'
import { startDatabaseProxy } from '../../support/database/proxy.ts'
import { publish } from '../../support/graphql/publish.ts'

/** Answers the next stream of posts in place of the server, and resolves when it has. Everything else goes through. */
function answerNextStream(page: Page, answer: () => Promise<Parameters<Route['fulfill']>[0]>): Promise<void> {
  let isAnswered = false
  return new Promise((resolve, reject) => {
    const answerOnce = async (route: Route, request: Request) => {
      if (isAnswered || !request.postData()?.includes('subscription NewPosts')) return route.continue()
      isAnswered = true
      await answer()
        .then((answered) => route.fulfill(answered))
        .then(resolve, reject)
    }
    page.route('**/graphql', answerOnce).catch(reject)
  })
}

describe.skipIf(chromiumPath === undefined)('the timeline in a browser', () => {
  const started = withBrowser()
  let app: TestApp
  let browser: Browser
  let robin: Person
  let wren: Person
  beforeAll(async () => {
    ;({ app, browser } = started)
    robin = await app.person('robin')
    wren = await app.person('wren')
  })

  const open = (person: Person, hash = '', origin = app.origin) => openTimeline(browser, origin, person, hash)

  test('shows posts of those whom the reader follows with their replies, and never as markup', async () => {
    const markup = `<img src=x onerror="document.title='owned'"><script>document.title='owned'</script>`
    await app.graphql(
      robin.token,
      'mutation ($uuid: UUID!) { setFollow(input: { uuid: $uuid, followed: true }) { action } }',
      {
        uuid: wren.id,
      },
    )
    const parent = await publish(app, wren, { content: markup })
    await publish(app, robin, { content: 'A nested reply', parent })
    const { page, post, complaints } = await open(robin)
    await post('A nested reply').waitFor()
    expect(await post(markup).locator('> p').innerText()).toBe(markup)
    expect(await page.locator('article > p :is(img, script)').count()).toBe(0)
    expect(await page.title()).toBe('Home – Rookery')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('works where only trusted documents run', async () => {
    const trusted = await startApp({ onlyTrustedDocuments: true }, sharing(app))
    await publish(app, wren, { content: 'Trusted' })
    const { page, post, complaints } = await open(robin, '#/public', trusted.origin)
    const article = post('Trusted')
    await article.getByRole('button', { name: 'Like, 0 so far' }).click()
    await article.getByRole('button', { name: 'Like, 1 so far' }).waitFor()
    await barOf(page).untilItIs('@robin')
    expect(complaints).toEqual([])
    await page.context().close()
    await trusted.close()
  })

  test('shows new posts by itself, once each, also after the connection was cut', async () => {
    const proxy = await startDatabaseProxy(app.origin)
    const { page, post } = await open(robin, '', proxy.url.replace(/\/$/, ''))
    await page.getByLabel('Post', { exact: true }).fill('My own')
    await page.getByRole('button', { name: 'Post', exact: true }).click()
    await publish(app, robin, { content: 'From elsewhere' })
    await post('From elsewhere').waitFor()
    proxy.hangUp()
    await publish(app, robin, { content: 'While away' })
    proxy.back()
    await post('While away').waitFor()
    for (const content of ['My own', 'From elsewhere', 'While away'])
      expect(await page.locator('article', { hasText: content }).count()).toBe(1)
    await page.context().close()
    await proxy.close()
  })

  test('shows new posts by itself after too few points were left for a while', async () => {
    const { page, post } = await open(robin, '#/public')
    const refused = answerNextStream(page, () => Promise.resolve({ status: 429 }))
    await page.goto(`${app.origin}/timeline#/`)
    await refused
    await publish(app, robin, { content: 'Seen later' })
    await post('Seen later').waitFor()
    await page.context().close()
  })

  test('begins again where the changes since its last one are no longer stored', async () => {
    const { page, post } = await open(robin, '#/public')
    const errors = [{ message: 'Too late', extensions: { code: 'CURSOR_EXPIRED' } }]
    const body = `event: next\ndata: ${JSON.stringify({ errors })}\n\n`
    const ended = answerNextStream(page, async () => {
      await publish(app, robin, { content: 'Missed' })
      return { contentType: 'text/event-stream', body }
    })
    await page.goto(`${app.origin}/timeline#/`)
    await ended
    await post('Missed').waitFor()
    await page.context().close()
  })

  test('sets each text in its own direction, so that a name cannot reverse the handle beside it', async () => {
    const kneh = await app.person('kneh')
    const data = { displayName: 'Kneh \u202e', bio: 'שלום' }
    await app.database.write.prisma.user.update({ where: { id: kneh.id }, data })
    await publish(app, kneh, { content: 'שלום, world' })
    const { page, post } = await open(robin, '#/@kneh')
    await post('שלום, world').getByRole('button', { name: 'Reply' }).click()
    await page.getByRole('textbox', { name: 'Reply' }).fill('עולם')
    const edges: readonly number[] = await page.evaluate(`(() => {
      const handle = document.querySelector('article header a .handle').firstChild
      return Array.from(handle.data, (_, at) => {
        const character = new Range()
        character.setStart(handle, at)
        character.setEnd(handle, at + 1)
        return character.getBoundingClientRect().left
      })
    })()`)
    expect(edges).toHaveLength(' @kneh'.length)
    expect(edges).toEqual(edges.toSorted((a, b) => a - b))
    const directions = await page.evaluate(`Array.from(
      document.querySelectorAll('#head h2, #head h2 + p, article > p, article textarea'),
      (text) => getComputedStyle(text).direction,
    )`)
    expect(directions).toEqual(['ltr', 'rtl', 'rtl', 'rtl'])
    await page.context().close()
  })

  test('says how long ago a post was, and when', async () => {
    const author = await app.person('nuthatch')
    const uuid = await publish(app, author, { content: 'Two hours old' })
    const createdAt = new Date(Date.now() - 7_300_000)
    await app.database.write.prisma.publication.update({ where: { id: uuid }, data: { createdAt } })
    const { page, post } = await open(robin, '#/@nuthatch')
    const time = post('Two hours old').locator('time')
    expect(await time.innerText()).toBe('2 hours ago')
    expect(await time.getAttribute('datetime')).toBe(createdAt.toISOString())
    const inFull = await page.evaluate(
      `new Date(${createdAt.getTime()}).toLocaleString([], { dateStyle: 'full', timeStyle: 'short' })`,
    )
    expect(await time.locator('..').getAttribute('title')).toBe(inFull)
    await page.context().close()
  })

  test('shows the line breaks of a biography, at an address that a messenger has encoded', async () => {
    const author = await app.person('dunnock')
    const bio = 'Sings.\n\nAll day.'
    await app.database.write.prisma.user.update({ where: { id: author.id }, data: { bio } })
    const { page } = await open(robin, '#/%40dunnock')
    expect(await page.getByText('All day.').innerText()).toBe(bio)
    await page.context().close()
  })

  test('keeps a letter with hundreds of marks, which has no place for a line break, within its post', async () => {
    const author = await app.person('bullfinch')
    const displayName = `ॐ${'\u0951'.repeat(49)}`
    await app.database.write.prisma.user.update({ where: { id: author.id }, data: { displayName } })
    await publish(app, author, { content: `ॐ${'\u0951'.repeat(499)}` })
    const { page, post } = await open(robin, '#/@bullfinch')
    await page.setViewportSize({ width: 360, height: 740 })
    await post('ॐ').waitFor()
    expect(await overflowOf(page)).toBe(0)
    await page.context().close()
  })

  test('goes on to older posts, from the cursor of changes of the first page', async () => {
    const author = await app.person('siskin')
    for (let index = 0; index < 21; index += 1) await publish(app, author, { content: `Number ${index}.` })
    const { page, post } = await open(robin, '#/@siskin')
    await post('Number 20.').waitFor()
    expect(await post('Number 0.').count()).toBe(0)
    await page.getByRole('button', { name: 'More' }).click()
    await post('Number 0.').waitFor()
    expect(await page.locator('#list > article').count()).toBe(21)
    expect(await page.getByRole('button', { name: 'More' }).isVisible()).toBe(false)
    await page.context().close()

    const home = await open(author)
    await home.page.locator('#list article').first().waitFor()
    const answer = home.page.waitForResponse(
      (response) => response.request().postData()?.includes('query Home(') ?? false,
    )
    await home.page.getByRole('button', { name: 'More' }).click()
    const { data } = await (await answer).json()
    expect(Object.keys(data)).toEqual(['home'])
    await home.page.context().close()
  })

  test('says what is wrong: a post that is gone, a locked parent, a refused token', async () => {
    const uuid = await publish(app, wren, { content: 'Nobody may reply', locked: true })
    const { page, post } = await open(robin, `#/post/${uuid}`)
    const problem = page.getByRole('alert')
    await post('Nobody may reply').getByRole('button', { name: 'Reply' }).click()
    await page.getByRole('textbox', { name: 'Reply' }).fill('But')
    await page.locator('article form').getByRole('button').click()
    await problem.filter({ hasText: 'locked' }).waitFor()
    await page.goto(`${app.origin}/timeline#/post/00000000-0000-7000-8000-000000000000`)
    await problem.filter({ hasText: 'This post does not exist' }).waitFor()
    const { enter, notice } = barOf(page)
    await enter(`rookery_${'x'.repeat(43)}`)
    await notice.getByText('The bearer token is unknown, expired or revoked.').waitFor()
    expect(await problem.count()).toBe(0)
    await page.context().close()
  })

  test('opens the query of each view in GraphiQL, and the closest call in the REST docs', async () => {
    const uuid = await publish(app, wren, { content: 'Behind this #page' })
    const views = [
      { hash: '#/', operation: 'Home', call: 'GET /timeline/home' },
      { hash: '#/public', operation: 'PublicTimeline', call: 'GET /timeline/public/1' },
      { hash: '#/bookmarks', operation: 'Bookmarks', call: 'GET /user/{user}/bookmarks/1' },
      { hash: '#/@wren', operation: 'Profile', call: 'GET /user/@wren/timeline' },
      { hash: '#/notifications', operation: 'Notifications', call: 'GET /notifications' },
      { hash: '#/requests', operation: 'FollowRequests', call: 'GET /user/{user}/requests/1' },
      { hash: '#/tag/page', operation: 'Hashtag', call: 'GET /tag/page/1' },
      { hash: '#/search/behind%20this', operation: 'Search', call: 'GET /search/posts?q=behind+this' },
      { hash: `#/post/${uuid}`, operation: 'Thread', call: `GET /post/${uuid}/thread/1` },
      { hash: `#/post/${uuid}/quotes`, operation: 'Quotes', call: `GET /post/${uuid}/quotes/1` },
    ]
    const { page, complaints } = await open(robin)
    for (const { hash, operation, call } of views) {
      await page.goto(`${app.origin}/timeline${hash}`)
      await page.getByRole('link', { name: call, exact: true }).waitFor()
      const link = await page.getByRole('link', { name: 'Run it in GraphiQL' }).getAttribute('href')
      const parameters = new URL(link ?? '', app.origin).searchParams
      const query = parameters.get('query') ?? ''
      expect(query).toContain(`query ${operation}(`)
      const json = parameters.get('variables') ?? ''
      expect(await page.locator('#source').textContent()).toBe([query, json].filter(Boolean).join('\n\n'))
      expect(json).not.toBe('{}')
      const variables: Record<string, unknown> = json ? JSON.parse(json) : {}
      expect((await app.graphql(robin.token, query, variables)).errors).toEqual([])
    }
    await page.goto(`${app.origin}/timeline#/post/${uuid}`)
    await page.getByRole('link', { name: `GET /post/${uuid}/thread/1` }).click()
    const operation = page.locator('.opblock.is-open', {
      has: page.locator('[data-path="/post/{uuid}/thread/{page}"]'),
    })
    await operation.getByRole('button', { name: 'Execute' }).click()
    await operation.locator('.live-responses-table').getByText('Behind this').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
