import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import { createServer, type RequestListener } from 'node:http'
import { createServer as createSecureServer } from 'node:https'
import { connect, createServer as createTunnel } from 'node:net'
import type { Locator, Page } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { watchedPage, withBrowser } from '../../support/browser/watched-page.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { portOf } from '../../support/http/port.ts'
import { fixedClient, personWithPassword } from '../../support/oauth/client.ts'

const pem = readFileSync(new URL('../../support/database/localhost.pem', import.meta.url))

describe.skipIf(chromiumPath === undefined)('in a browser, an answer leads on', () => {
  const started = withBrowser()
  /** Where the application sends the browser from its redirect URI. */
  let next: string | undefined
  const answer: RequestListener = ({ url }, response) => {
    const leaves = next !== undefined && url?.startsWith('/callback?')
    response.writeHead(leaves ? 302 : 200, { 'content-type': 'text/html', ...(leaves && { location: next }) })
    response.end('<h1>The application</h1>')
  }
  const secure = createSecureServer({ key: pem, cert: pem }, answer)
  const plain = createServer(answer)
  beforeAll(async () => {
    await once(secure.listen(0, '127.0.0.1'), 'listening')
    await once(plain.listen(0), 'listening')
  })
  afterAll(() => {
    for (const server of [secure, plain]) server.close().closeAllConnections()
  })

  const requestOf = (origin: string, client_id: string, redirect_uri: string) =>
    `${origin}/oauth/authorize?${new URLSearchParams({
      client_id,
      redirect_uri,
      response_type: 'code',
      scope: 'user.get',
      state: 'abc',
      code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWBuGJSstw-cM',
      code_challenge_method: 'S256',
    })}`

  async function fillIn(page: Page, username: string): Promise<void> {
    await page.getByLabel('Username').fill(username)
    await page.getByLabel('Password').fill(password)
  }

  async function enter(page: Page, username: string): Promise<void> {
    await fillIn(page, username)
    await page.getByRole('button', { name: 'Sign in' }).click()
  }

  const https = (name: string) => `https://${name}:${portOf(secure)}`
  const http = (name: string) => `http://${name}:${portOf(plain)}`

  test.each<[string, () => string, (() => string) | undefined]>([
    ['an https host', () => `${https('app.test')}/callback`, undefined],
    ['another https host', () => `${https('app.test')}/callback`, () => `${https('www.app.test')}/done`],
    ['127.0.0.1, then localhost', () => `${http('127.0.0.1')}/callback`, () => `${http('localhost')}/done`],
    ['[::1]', () => `${http('[::1]')}/callback`, undefined],
    ['a scheme of its own', () => 'com.example.app:/callback', undefined],
    ['https, then its own scheme', () => `${https('app.test')}/callback`, () => 'com.example.app:/done'],
  ])('to %s, from "Allow" and from "Sign in"', async (_what, redirectUri, then) => {
    const { app } = started
    const { username } = await personWithPassword(app)
    const clientId = await fixedClient(app, await app.person(), { redirectUris: [redirectUri()] })
    next = then?.()
    const last = next ?? redirectUri()
    const context = await started.browser.newContext({ ignoreHTTPSErrors: true })
    for (const isFirst of [true, false]) {
      await context.clearCookies({ name: 'rookery_session' })
      const { page, complaints } = await watchedPage(context, app.origin)
      const reached: string[] = []
      const session = await context.newCDPSession(page)
      await session.send('Network.enable')
      session.on('Network.requestWillBeSent', ({ request }) => void reached.push(request.url))
      await page.goto(requestOf(app.origin, clientId, redirectUri()))
      await enter(page, username)
      // Where another program cannot listen, nobody is asked again.
      if (isFirst || !redirectUri().startsWith('https:')) await page.getByRole('button', { name: 'Allow' }).click()
      await expect.poll(() => reached.some((url) => url.startsWith(last)), { timeout: 10_000 }).toBe(true)
      expect(complaints.filter((text) => text.includes('form-action'))).toEqual([])
    }
    await context.close()
  })

  /** Clicks a button, and waits for the page that this leads to. */
  async function leaveBy(button: Locator, clickCount = 1): Promise<void> {
    await button.waitFor()
    const page = button.page()
    const before = page.url()
    await button.click({ clickCount })
    await expect.poll(() => page.url(), { timeout: 30_000 }).not.toBe(before)
  }

  /** Answers what a page asks until it has come to something: a second click may have begun the request again. */
  async function answerUntil(reached: Locator, username: string): Promise<void> {
    const page = reached.page()
    const allow = page.getByRole('button', { name: 'Allow' })
    const signIn = page.getByRole('button', { name: 'Sign in' })
    for (;;) {
      await reached.or(allow).or(signIn).first().waitFor()
      if (await reached.isVisible()) return
      if (await signIn.isVisible()) await fillIn(page, username)
      await leaveBy((await signIn.isVisible()) ? signIn : allow)
    }
  }

  test('after double clicks, also from a window and in two tabs as two accounts', async () => {
    const { app, browser } = started
    const [ada, bob] = [await personWithPassword(app), await personWithPassword(app)]
    next = undefined
    const redirectUri = `${http('127.0.0.1')}/callback`
    const clientId = await fixedClient(app, await app.person(), { redirectUris: [redirectUri] })
    const context = await browser.newContext()
    const [first, second] = [await context.newPage(), await context.newPage()]
    const clickTwice = (page: Page, name: string) => leaveBy(page.getByRole('button', { name }), 2)
    for (const page of [first, second]) {
      await page.goto(requestOf(app.origin, clientId, redirectUri))
      await fillIn(page, (page === first ? ada : bob).username)
    }
    await clickTwice(first, 'Sign in')
    await answerUntil(first.getByText(`@${ada.username}.`), ada.username)
    await second.getByRole('button', { name: 'Sign in' }).click()
    await second.getByRole('heading', { name: 'Choose an account' }).waitFor()
    await clickTwice(second, `Continue as @${ada.username}`)
    const [opened] = await Promise.all([
      context.waitForEvent('page'),
      second.evaluate((url) => void open(url), requestOf(app.origin, clientId, redirectUri)),
    ])
    for (const page of [first, second, opened]) {
      await answerUntil(page.getByRole('button', { name: 'Allow' }), ada.username)
      await clickTwice(page, 'Allow')
      await answerUntil(page.getByRole('heading', { name: 'The application' }), ada.username)
      expect(new URL(page.url()).searchParams.get('code')).not.toBeNull()
    }
    await context.close()
  })

  test('by plain http with a name of the local network', async () => {
    let port = 0
    const tunnel = createTunnel((socket) => {
      const inner = connect(port, '127.0.0.1')
      socket
        .on('error', () => inner.destroy())
        .pipe(inner.on('error', () => socket.destroy()))
        .pipe(socket)
    })
    await once(tunnel.listen(0, '127.0.0.1'), 'listening')
    const publicUrl = `http://rookery.test:${portOf(tunnel)}`
    const app = await startApp({ publicUrl })
    port = Number(new URL(app.origin).port)
    const { username } = await personWithPassword(app)
    next = undefined
    const redirectUri = `${http('127.0.0.1')}/callback`
    const clientId = await fixedClient(app, await app.person(), { redirectUris: [redirectUri] })
    const { page, complaints } = await watchedPage(await started.browser.newContext(), publicUrl)
    await page.goto(requestOf(publicUrl, clientId, redirectUri))
    await enter(page, username)
    await page.getByRole('button', { name: 'Allow' }).click()
    await page.getByRole('heading', { name: 'The application' }).waitFor()
    expect(new URL(page.url()).searchParams.get('iss')).toBe(publicUrl)
    expect(complaints).toEqual([])
    await app.close()
    tunnel.close()
  })
})
