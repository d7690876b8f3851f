import { once } from 'node:events'
import { createServer } from 'node:http'
import type { BrowserContext, Page } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { barOf } from '../../support/browser/bar.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { watchedPage, withBrowser } from '../../support/browser/watched-page.ts'
import { publish } from '../../support/graphql/publish.ts'
import { addSecondFactor, codeOf } from '../../support/graphql/second-factor.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { fixedClient, personWithPassword } from '../../support/oauth/client.ts'

/** Fills in the page to sign in. */
async function enter(page: Page, username: string): Promise<void> {
  await page.getByLabel('Username').fill(username)
  await page.getByLabel('Password').fill(password)
  await page.keyboard.press('Enter')
}

const tokenIn = (page: Page): Promise<string | null> => page.evaluate('sessionStorage.getItem("rookery:token")')

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  const started = withBrowser()
  let app: TestApp
  let context: BrowserContext
  beforeAll(async () => {
    ;({ app } = started)
    await publish(app, await personWithPassword(app, 'robin'), { content: 'Hello' })
    context = await started.browser.newContext()
  })
  const open = async (path: string, within = context) => {
    const watched = await watchedPage(within, app.origin)
    await watched.page.goto(app.origin + path)
    return { ...watched, bar: barOf(watched.page) }
  }
  const sendPost = 'mutation { sendPost(input: { content: "Sent" }) { __typename } }'
  const statusOf = async (token: string | null) => (await app.graphql(token ?? '', '{ viewer { uuid } }')).status

  test('the timeline signs in without asking for consent, and keeps its view', async () => {
    const { page, bar, complaints, elsewhere } = await open('/timeline#/public')
    await bar.notice.getByRole('button', { name: 'Sign in' }).click()
    await enter(page, 'robin')
    await page.locator('#list article', { hasText: 'Hello' }).waitFor()
    await bar.untilItIs('@robin')
    expect(page.url()).toBe(`${app.origin}/timeline#/public`)
    expect((await app.graphql(await bar.token(), sendPost)).errors).toEqual([])
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
  })

  test('the timeline signs in to an account with a second factor', async () => {
    const person = await personWithPassword(app, 'owl')
    const { secret } = await addSecondFactor(app, person)
    const { page, bar, complaints } = await open('/timeline#/public', await started.browser.newContext())
    await bar.notice.getByRole('button', { name: 'Sign in' }).click()
    await enter(page, 'owl')
    await page.getByRole('heading', { name: 'Enter a code' }).waitFor()
    await page.keyboard.type(codeOf(secret))
    await page.keyboard.press('Enter')
    await bar.untilItIs('@owl')
    expect(page.url()).toBe(`${app.origin}/timeline#/public`)
    expect(complaints).toEqual([])
  })

  test('GraphiQL signs in without a password while the session lasts, and keeps its query', async () => {
    const { page, bar, complaints } = await open('/graphql?query={viewer{username}}')
    await bar.notice.getByRole('button', { name: 'Sign in' }).click()
    await bar.untilItIs('@robin')
    expect(new URL(page.url()).searchParams.get('query')).toBe('{viewer{username}}')
    expect(complaints).toEqual([])
  })

  test('the REST docs sign in without a password too, and out of this browser alone', async () => {
    const { page, bar } = await open('/api/v1/docs')
    await bar.notice.getByRole('button', { name: 'Sign in' }).click()
    await bar.untilItIs('@robin')
    expect(page.url()).toBe(`${app.origin}/api/v1/docs`)
    const { page: other, bar: otherBar } = await open('/', await started.browser.newContext())
    await otherBar.notice.getByRole('button', { name: 'Sign in' }).click()
    await enter(other, 'robin')
    await otherBar.untilItIs('@robin')
    const tokens = await Promise.all([bar.token(), otherBar.token()])
    await bar.press('Sign out')
    await bar.notice.getByText('You are not signed in.').waitFor()
    await expect.poll(() => Promise.all(tokens.map(statusOf))).toEqual([401, 200])
    await bar.notice.getByRole('button', { name: 'Sign in' }).click()
    await page.getByLabel('Password').waitFor()
  })

  test('"Authorize" of the REST docs opens a window, and gets a token of the chosen scopes', async () => {
    const { page, bar, complaints } = await open('/api/v1/docs', await started.browser.newContext())
    await page.getByRole('button', { name: 'Authorize' }).click()
    await page.locator('label', { hasText: 'post.send' }).click()
    const opened = page.waitForEvent('popup')
    await page.locator('.auth-btn-wrapper .authorize').click()
    const popup = await opened
    const closed = popup.waitForEvent('close')
    await enter(popup, (await personWithPassword(app, 'wren')).username)
    await closed
    await bar.untilItIs('@wren')
    expect(await page.locator('.modal-ux').count()).toBe(0)
    const { errors } = await app.graphql(await bar.token(), sendPost)
    expect(errors[0]?.extensions.code).toBe('INSUFFICIENT_SCOPE')
    expect(complaints).toEqual([])
  })

  test('a window that another website opens gives it the answer', async () => {
    const site = createServer((request, response) => {
      response.setHeader('content-type', 'text/html')
      const isAnswer = request.url?.startsWith('/callback')
      response.end(isAnswer ? '<script>opener.postMessage(location.search); close()</script>' : '')
    })
    await once(site.listen(0, '127.0.0.1'), 'listening')
    const origin = `http://127.0.0.1:${Object(site.address()).port}`
    const clientId = await fixedClient(app, await personWithPassword(app, 'swift'), {
      redirectUris: [`${origin}/callback`],
    })
    const { page } = await watchedPage(await started.browser.newContext(), origin)
    await page.goto(origin)
    const parameters = new URLSearchParams({
      client_id: clientId,
      redirect_uri: `${origin}/callback`,
      response_type: 'code',
      scope: 'user.get',
      state: 'abc',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWBuGJSstw-cM',
      code_challenge_method: 'S256',
    })
    const opened = page.waitForEvent('popup')
    await page.evaluate(
      `addEventListener('message', ({ data }) => { document.title = data }); open('${app.origin}/oauth/authorize?${parameters}')`,
    )
    const popup = await opened
    await enter(popup, 'swift')
    await popup.getByRole('button', { name: 'Allow' }).click()
    await expect.poll(() => page.title()).toMatch(/^\?code=.*&state=abc/)
    site.close()
  })

  test('a page says what went wrong with an answer that it has not asked for', async () => {
    const { page } = await open('/oauth/callback?code=stolen&state=unknown')
    await page.getByRole('status').getByText('This sign-in was started in another tab').waitFor()
    expect(await tokenIn(page)).toBeNull()
    expect(page.url()).toBe(`${app.origin}/oauth/callback`)
  })

  test('a page says why the server refuses to give a token', async () => {
    const { page, bar } = await open('/timeline', await started.browser.newContext())
    await page.route('**/oauth/token', (route) => route.continue({ method: 'PUT' }))
    await bar.notice.getByRole('button', { name: 'Sign in' }).click()
    await enter(page, (await personWithPassword(app)).username)
    await page.getByRole('status').getByText('supports POST').waitFor()
    expect(await tokenIn(page)).toBeNull()
  })

  test('a page below a path signs in', async () => {
    const below = await startApp({ prefix: '/rookery' })
    await personWithPassword(below, 'robin')
    const { page, complaints } = await watchedPage(await started.browser.newContext(), below.origin)
    await page.goto(`${below.origin}/rookery/timeline`)
    await page.getByRole('button', { name: 'Sign in' }).click()
    await enter(page, 'robin')
    await barOf(page).untilItIs('@robin')
    expect(new URL(page.url()).pathname).toBe('/rookery/timeline')
    expect(complaints).toEqual([])
    await below.close()
  })

  test('a page at another address than the public one takes a token instead', async () => {
    const app = await startApp({ publicUrl: 'https://social.example' })
    const { page } = await watchedPage(await started.browser.newContext(), app.origin)
    await page.goto(`${app.origin}/timeline`)
    const { notice, enter: put, untilItIs } = barOf(page)
    await notice.getByText('You are not signed in. Enter a token in the menu above.').waitFor()
    expect(await notice.getByRole('button').count()).toBe(0)
    await put((await app.person('dipper')).token)
    await untilItIs('@dipper')
    await app.close()
  })
})
