import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { createEmailToken } from '../../../src/features/mail/links.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, OAuthBrowser } from '../../support/oauth/browser.ts'
import { fixedClient, personWithPassword, redirectUri } from '../../support/oauth/client.ts'
import { startMetadataServer } from '../../support/oauth/metadata-server.ts'

let app: TestApp
let documents: Awaited<ReturnType<typeof startMetadataServer>>
/** Runs while a request of an application waits for the document of its client, with the session of its browser loaded. */
let meanwhile: () => Promise<unknown> = async () => undefined
let clients = 0

beforeAll(async () => {
  documents = await startMetadataServer(async ({ headers, url }, response) => {
    await meanwhile()
    const client_id = `https://${headers.host}${url}`
    const redirect_uris = ['http://127.0.0.1/callback']
    response.setHeader('content-type', 'application/json')
    response.end(JSON.stringify({ client_id, client_name: 'Slow', redirect_uris, token_endpoint_auth_method: 'none' }))
  })
  app = await startApp({ clientMetadataLoopback: true })
})
afterAll(async () => {
  documents.close()
  await app.close()
})

const requestOf = (client_id: string) =>
  `${app.origin}/oauth/authorize?${new URLSearchParams({
    client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'post.get',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })}`

const connections = () => `${app.origin}/oauth/connections`

/** Signs somebody in to a new browser. */
async function signedIn(username: string): Promise<OAuthBrowser> {
  const browser = new OAuthBrowser(app.origin)
  await browser.submit(await browser.open(connections()), { username, password })
  expect(headingOf(await browser.open(connections()))).toBe('Connected applications')
  return browser
}

const cookiesNamed = (browser: OAuthBrowser, name: string) =>
  browser.received.filter((line) => line.startsWith(`${name}=`)).length

describe('a session', () => {
  const other = 'another password'
  const asPerson = async (token: string, mutation: string, input: object) => {
    const { errors } = await app.graphql(token, mutation, { input })
    expect(errors).toEqual([])
  }
  type Ended = { readonly id: string; readonly token: string; readonly browser: OAuthBrowser }
  test.each<[string, (person: Ended) => Promise<unknown>]>([
    [
      'a new password',
      ({ token }) =>
        asPerson(token, 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { __typename } }', {
          currentPassword: password,
          newPassword: other,
        }),
    ],
    [
      'the link that resets a password',
      async ({ id }) => {
        const { email } = await app.database.write.prisma.user.findUniqueOrThrow({ where: { id } })
        const link = await createEmailToken(app.database.write.prisma, { kind: 'RESET', userId: id, email })
        const body = new URLSearchParams({ token: link, password: other })
        expect((await fetch(`${app.origin}/reset`, { method: 'POST', body })).status).toBe(200)
      },
    ],
    ['revoking other tokens', ({ token }) => asPerson(token, 'mutation { revokeOtherTokens { __typename } }', {})],
    [
      'signing out in another tab',
      ({ browser }) =>
        fetch(connections(), {
          method: 'POST',
          body: new URLSearchParams({ 'sign-out': 'yes' }),
          headers: browser.cookieFor('/oauth/connections'),
        }),
    ],
  ])('ends with %s, also while a request has it open', async (what, end) => {
    const person = await personWithPassword(app)
    const browser = await signedIn(person.username)
    const elsewhere = await signedIn(person.username)
    const before = cookiesNamed(browser, 'rookery_session')
    meanwhile = () => end({ ...person, browser })
    clients += 1
    const { status } = await browser.open(requestOf(`${documents.origin}/${clients}`))
    meanwhile = async () => undefined
    expect(status).toBeLessThan(500)
    expect(cookiesNamed(browser, 'rookery_session')).toBe(before)
    expect(headingOf(await browser.open(connections()))).toBe('Sign in')
    if (!what.includes('tab')) expect(headingOf(await elsewhere.open(connections()))).toBe('Sign in')
    const left = await app.database.write.prisma.oauthRecord.findMany({ where: { userId: person.id } })
    expect(left.map(({ kind }) => kind)).toEqual(what.includes('tab') ? ['Session'] : [])
  })

  test('is stored only while somebody is signed in, whatever cookie a browser sends', async () => {
    const { prisma } = app.database.write
    const before = await prisma.oauthRecord.count({ where: { kind: 'Session' } })
    const clientId = await fixedClient(app, await app.person())
    for (const url of [`${app.origin}/oauth/device`, requestOf(clientId), requestOf('unknown')])
      for (const cookie of ['', 'rookery_session=made-up']) {
        const response = await fetch(url, { headers: { cookie, accept: 'text/html' }, redirect: 'manual' })
        expect(response.headers.getSetCookie().filter((line) => line.startsWith('rookery_session='))).toEqual([])
      }
    expect(await prisma.oauthRecord.count({ where: { kind: 'Session' } })).toBe(before)
  })
})

describe('a step', () => {
  test('is found only in the browser that began it, whose cookie other hosts cannot set', async () => {
    const { username } = await personWithPassword(app)
    const clientId = await fixedClient(app, await app.person())
    const attacker = new OAuthBrowser(app.origin)
    const { url } = await attacker.open(requestOf(clientId))
    // All that a page of another host of the same site can set.
    const planted = attacker
      .cookieFor(new URL(url).pathname)
      .cookie?.split('; ')
      .filter((pair) => !pair.startsWith('rookery_browser='))
    const headers = { cookie: planted?.join('; ') ?? '', accept: 'text/html', 'sec-fetch-site': 'same-origin' }
    expect(headers.cookie).toContain('rookery_step=')
    const body = new URLSearchParams({ username, password })
    for (const [path, init] of [
      ['', { headers }],
      ['/sign-in', { method: 'POST', headers, body }],
    ] as const) {
      const page = await fetch(url + path, { ...init, redirect: 'manual' })
      expect([path, page.status]).toEqual([path, 400])
    }
    expect(headingOf(await attacker.open(url))).toBe('Sign in')
  })

  test('has only the pages of what it asks for', async () => {
    const { username } = await personWithPassword(app)
    const browser = new OAuthBrowser(app.origin)
    const signIn = await browser.open(requestOf(await fixedClient(app, await app.person())))
    const statusOf = async (url: string, path: string, init: RequestInit = {}) => {
      const headers = {
        'sec-fetch-site': 'same-origin',
        accept: 'text/html',
        ...browser.cookieFor(new URL(url).pathname),
      }
      return (await fetch(url + path, { redirect: 'manual', ...init, headers })).status
    }
    const form = (more: Record<string, string> = {}) => ({ method: 'POST', body: new URLSearchParams(more) })
    expect(await statusOf(signIn.url, '/account')).toBe(400)
    expect(await statusOf(signIn.url, '/account', form())).toBe(400)
    expect(await statusOf(signIn.url, '/consent', form({ answer: 'allow', scope: 'post.get' }))).toBe(400)
    const consent = await browser.submit(signIn, { username, password })
    expect(headingOf(consent)).toBe('Connect Test client?')
    expect(await statusOf(consent.url, '/account')).toBe(400)
    expect(await statusOf(consent.url, '/sign-up')).toBe(400)
    expect(await statusOf(consent.url, '/sign-in', form({ username, password }))).toBe(400)
    expect(await statusOf(consent.url, '/sign-up', form({ username: 'new', password, email: 'a@example.org' }))).toBe(
      400,
    )
  })

  test('that a new password has ended signs nobody in', async () => {
    const { username, id } = await personWithPassword(app)
    const browser = new OAuthBrowser(app.origin)
    const signIn = await browser.open(requestOf(await fixedClient(app, await app.person())))
    const response = await fetch(`${signIn.url}/sign-in`, {
      method: 'POST',
      body: new URLSearchParams({ username, password }),
      headers: { 'sec-fetch-site': 'same-origin', ...browser.cookieFor(new URL(signIn.url).pathname) },
      redirect: 'manual',
    })
    expect(response.status).toBe(303)
    await app.database.write.prisma.oauthRecord.deleteMany({ where: { userId: id } })
    const after = await browser.open(response.headers.get('location') ?? '')
    expect(after.status).toBe(400)
    expect(headingOf(await browser.open(connections()))).toBe('Sign in')
  })
})

/** A form that a page of the server has sent. */
const byForm = (body: Record<string, string>, cookie: string) => ({
  method: 'POST',
  body: new URLSearchParams(body),
  headers: { 'sec-fetch-site': 'same-origin', cookie },
})

describe('in one browser', () => {
  /** Somebody has signed in, and somebody else has then in another tab. */
  async function twoTabs() {
    const [ada, bob] = [await personWithPassword(app), await personWithPassword(app)]
    const clientId = await fixedClient(app, await app.person())
    const browser = new OAuthBrowser(app.origin)
    const [first, second] = [await browser.open(requestOf(clientId)), await browser.open(requestOf(clientId))]
    await browser.submit(first, { username: ada.username, password })
    const choice = await browser.submit(second, { username: bob.username, password })
    expect(headingOf(choice)).toBe('Choose an account')
    return { here: ada, entered: bob, browser, choice }
  }

  test.each(['here', 'entered'] as const)('two tabs that sign in as two accounts choose one: %s', async (account) => {
    const { browser, choice, ...accounts } = await twoTabs()
    const { username } = accounts[account]
    const consent = await browser.submit(choice, { account })
    expect(consent.text).toContain(`<strong>@${username}</strong>`)
    const end = await browser.submit(consent, { answer: 'allow', scope: 'post.get' })
    expect(new URL(end.url).searchParams.get('code')).not.toBeNull()
    const connected = await browser.open(connections())
    expect(connected.text).toContain(`<strong>@${username}</strong>`)
  })

  test.each(['here', 'entered'] as const)('a second click chooses the same account: %s', async (account) => {
    const { browser, choice, ...accounts } = await twoTabs()
    const cookie = browser.cookieFor(new URL(choice.url).pathname).cookie ?? ''
    const first = await fetch(choice.url, { ...byForm({ account }, cookie), redirect: 'manual' })
    expect(first.status).toBe(303)
    const consent = await browser.submit(choice, { account })
    expect(consent.text).toContain(`<strong>@${accounts[account].username}</strong>`)
  })

  /** A request that waits for somebody to sign in, and sends what a second click on a button of its page does. */
  async function waiting() {
    const browser = new OAuthBrowser(app.origin)
    const signIn = await browser.open(requestOf(await fixedClient(app, await app.person())))
    const form = new URL(signIn.url).pathname
    const pathAfter = form.replace('/step/', '/authorize/')
    const cookiesNow = (path: string) =>
      [browser.cookieFor(path), browser.cookieFor('/oauth')].map(({ cookie }) => cookie).join('; ')
    return { browser, signIn, form, pathAfter, cookiesNow }
  }
  test('a second click on a button begins the request again', async () => {
    const { username } = await personWithPassword(app)
    const { browser, signIn, form, cookiesNow } = await waiting()
    const cookies = cookiesNow(form)
    const consent = await browser.submit(signIn, { username, password })
    expect(headingOf(consent)).toBe('Connect Test client?')
    const second = await browser.open(
      `${signIn.url}/sign-in`,
      byForm({ username, password }, `${cookies}; ${cookiesNow('/oauth')}`),
    )
    expect(headingOf(second)).toBe('Connect Test client?')
    const end = await browser.submit(second, { answer: 'allow', scope: 'post.get' })
    expect(new URL(end.url).searchParams.get('code')).not.toBeNull()
  })

  test.each(['before', 'after'])(
    'a second click whose answer leads on as the first one did begins the request again, with the cookies of %s it',
    async (when) => {
      const { username } = await personWithPassword(app)
      const { browser, signIn, pathAfter, cookiesNow } = await waiting()
      const before = cookiesNow(pathAfter)
      const consent = await browser.submit(signIn, { username, password })
      expect(headingOf(consent)).toBe('Connect Test client?')
      const cookie = when === 'before' ? before : cookiesNow(pathAfter)
      const second = await browser.open(app.origin + pathAfter, { headers: { cookie } })
      expect(headingOf(second)).toBe('Connect Test client?')
      const end = await browser.submit(second, { answer: 'allow', scope: 'post.get' })
      expect(new URL(end.url).searchParams.get('code')).not.toBeNull()
    },
  )
})
