import { once } from 'node:events'
import { createServer, request, type Server } from 'node:http'
import type { BrowserContext } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { z } from 'zod'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { barOf } from '../../support/browser/bar.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openGraphiQL } from '../../support/browser/graphiql.ts'
import { watchedPage, withBrowser } from '../../support/browser/watched-page.ts'
import { portOf } from '../../support/http/port.ts'

const prefix = '/rookery'

const proxies: Server[] = []
afterAll(() => {
  for (const proxy of proxies) proxy.close().closeAllConnections()
})

/** Starts a proxy to a server for what is below the prefix, which it removes or not. Returns its URL. */
async function startProxy({ origin }: TestApp, removes: boolean): Promise<string> {
  const proxy = createServer((message, response) => {
    const { url: path = '', method, headers } = message
    if (!path.startsWith(`${prefix}/`)) return response.writeHead(410).end()
    const sent = request(origin, { path: removes ? path.slice(prefix.length) : path, method, headers }, (answer) => {
      response.writeHead(answer.statusCode ?? 502, answer.headers)
      answer.pipe(response)
    })
    return message.pipe(sent)
  })
  proxies.push(proxy)
  await once(proxy.listen(0, '127.0.0.1'), 'listening')
  return `http://127.0.0.1:${portOf(proxy)}${prefix}`
}

async function writePosts(app: TestApp): Promise<Person> {
  const ada = await app.person('ada')
  for (const content of ['One', 'Two', 'Three']) await app.rest(ada.token, 'POST', '/post', { content })
  return ada
}

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp({ prefix })
  ada = await writePosts(app)
})
afterAll(() => app.close())

describe.each([
  { proxy: 'a proxy that removes the prefix', removes: true },
  { proxy: 'a proxy that keeps it', removes: false },
])('behind $proxy', ({ removes }) => {
  let site: string
  beforeAll(async () => {
    site = await startProxy(app, removes)
  })
  const get = (url: string, headers: Record<string, string> = {}) =>
    fetch(new URL(url, site), { headers: { authorization: `Bearer ${ada.token}`, ...headers } })

  test.each(['/', '/timeline', '/graphql', '/api/v1/docs', '/nothing/here'])(
    '%s loads and links to what is there',
    async (path) => {
      const accept = 'text/html, */*;q=0.8'
      const text = await (await get(`${site}${path}`, { accept })).text()
      const urls = [...text.matchAll(/ (?:href|src)="(\/[^"]*)"/g)].map(([, url = '']) => url)
      expect(urls.length).toBeGreaterThan(4)
      const statuses = await Promise.all(urls.map(async (url) => [url, (await get(url, { accept })).status]))
      expect(statuses).toEqual(urls.map((url) => [url, 200]))
    },
  )

  test('Link leads to the other pages', async () => {
    const { headers } = await get(`${site}/api/v1/user/@ada/posts?limit=2`)
    const [, next = ''] = /<([^>]*)>; rel="next"/.exec(headers.get('link') ?? '') ?? []
    const posts = z.object({ posts: z.array(z.object({ content: z.string() })) })
    expect(posts.parse(await (await get(next)).json()).posts.map(({ content }) => content)).toEqual(['One'])
  })

  test('the OpenAPI document names the server, and has a tag', async () => {
    const response = await get(`${site}/api/v1/openapi.json`)
    expect(await response.json()).toMatchObject({ servers: [{ url: `${site}/api/v1` }] })
    const etag = response.headers.get('etag') ?? ''
    expect((await get(`${site}/api/v1/openapi.json`, { 'if-none-match': etag })).status).toBe(304)
  })

  test('API-Version and 405 are as elsewhere', async () => {
    const response = await get(`${site}/api/v1/reply`)
    expect(response.status).toBe(405)
    expect(response.headers.get('api-version')).toBe('V26.05.28')
  })
})

describe.skipIf(chromiumPath === undefined)('behind a proxy, in a browser,', () => {
  const started = withBrowser({ prefix })
  let site: string
  let context: BrowserContext
  beforeAll(async () => {
    const { token } = await writePosts(started.app)
    site = await startProxy(started.app, true)
    context = await started.browser.newContext()
    await context.addInitScript({ content: `sessionStorage.setItem('rookery:token', '${token}')` })
  })

  test('GraphiQL runs operations', async () => {
    const { play, page, complaints } = await openGraphiQL(context, site, { query: '{ viewer { username } }' })
    expect(await play()).toMatchObject({ body: { data: { viewer: { username: 'ada' } } } })
    await barOf(page).untilItIs('@ada')
    expect(complaints).toEqual([])
  })

  test('the other pages show posts, and call REST', async () => {
    const { page, complaints } = await watchedPage(context, site)
    await page.goto(`${site}/`)
    await page.locator('#answer', { hasText: 'Three' }).waitFor()
    expect(await page.locator('#curl').innerText()).toContain(`${site}/graphql`)
    await page.getByRole('link', { name: 'Timeline' }).first().click()
    await page.locator('#list article', { hasText: 'Three' }).waitFor()
    await page.getByRole('link', { name: 'REST', exact: true }).click()
    const operation = page.locator('.opblock-get:has([data-path="/user"])')
    await operation.locator('.opblock-summary-control').click()
    const answer = page.waitForResponse(`${site}/api/v1/user`)
    await operation.getByRole('button', { name: 'Execute' }).click()
    expect(await (await answer).json()).toMatchObject({ username: 'ada' })
    expect(complaints).toEqual([])
  })
})

test.each([prefix, `${prefix}/`, `${prefix}?color=blue`])('%s is the start page', async (path) => {
  const [own, start] = await Promise.all([fetch(app.origin + path), fetch(`${app.origin}/`)])
  expect(await own.text()).toBe(await start.text())
  expect((await fetch(`${app.origin}${prefix}x`)).status).toBe(404)
})
