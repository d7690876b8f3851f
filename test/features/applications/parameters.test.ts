import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { headingOf, OAuthBrowser } from '../../support/oauth/browser.ts'
import { fixedClient, redirectUri } from '../../support/oauth/client.ts'

let app: TestApp
let clientId: string
beforeAll(async () => {
  app = await startApp({ clientRegistration: true })
  clientId = await fixedClient(app, await app.person(), { deviceFlow: true })
})
afterAll(() => app.close())

const requestWith = (parameters: Record<string, string>, raw = '') =>
  `${app.origin}/oauth/authorize?${new URLSearchParams({
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'post.get',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWBuGJSstw-cM',
    code_challenge_method: 'S256',
    ...parameters,
  })}${raw}`

const post = (path: string, body: string, type = 'application/x-www-form-urlencoded') =>
  fetch(`${app.origin}/oauth/${path}`, { method: 'POST', body, headers: { 'content-type': type } })

describe('a parameter with a NUL or a lone surrogate is refused', () => {
  test.each(['state', 'client_id', 'ui_locales', 'display', 'login_hint', 'scope', 'nonce', 'resource', 'prompt'])(
    'as %s of a request',
    async (name) => {
      for (const bad of ['%00', 'a%00b', '%ED%A0%80'])
        expect((await fetch(requestWith({}, `&${name}=${bad}`), { redirect: 'manual' })).status).toBe(400)
    },
  )

  test.each(['token', 'revoke', 'introspect', 'device_authorization', 'device', 'connections', 'connections/sign-in'])(
    'in the form of %s',
    async (path) => {
      for (const bad of ['client_id=%00', 'code=a%00', '%00=a', 'username=%ED%A0%80'])
        expect((await post(path, bad)).status).toBe(400)
    },
  )

  test('in the JSON of a registration', async () => {
    const usual = { client_name: 'Registered', redirect_uris: ['http://127.0.0.1/callback'] }
    for (const bad of ['\0', 'a\ud800'])
      for (const more of [{ client_name: bad }, { client_uri: `https://a.example/${bad}` }, { contacts: [bad] }]) {
        const response = await post('register', JSON.stringify({ ...usual, ...more }), 'application/json')
        expect(response.status).toBe(400)
      }
    expect((await post('register', JSON.stringify(usual), 'application/json')).status).toBe(201)
  })
})

test('JSON that is nested too deeply is refused', async () => {
  for (const path of ['register', 'token']) {
    const response = await post(path, '['.repeat(8_000) + ']'.repeat(8_000), 'application/json')
    expect([path, response.status]).toEqual([path, 400])
  }
  expect((await post('register', '['.repeat(8_000), 'application/json')).status).toBe(400)
})

describe('a request', () => {
  test('cannot let the server store long parameters', async () => {
    expect((await fetch(requestWith({ state: 'x'.repeat(2_048) }), { redirect: 'manual' })).status).toBe(303)
    expect((await fetch(requestWith({ state: 'x'.repeat(2_049) }))).status).toBe(400)
    expect((await post('device_authorization', `client_id=${clientId}&scope=${'x'.repeat(2_049)}`)).status).toBe(400)
  })

  test('with a long login_hint shows it in the form', async () => {
    const page = await new OAuthBrowser(app.origin).open(
      requestWith({ login_hint: `${'robin'.repeat(20)}@example.org` }),
    )
    expect([page.status, headingOf(page)]).toEqual([200, 'Sign in'])
  })

  test.each([{ scope: '' }, { scope: 'openid offline_access' }])(
    'is refused without a scope of this server: %o',
    async (more) => {
      const { url } = await new OAuthBrowser(app.origin).open(requestWith(more))
      expect(new URL(url).searchParams.get('error')).toBe('invalid_scope')
      const body = new URLSearchParams({ client_id: clientId, ...more })
      const device = await post('device_authorization', String(body))
      expect(await device.json()).toMatchObject({ error: 'invalid_scope' })
    },
  )
})

describe('the pages', () => {
  test('answer HEAD like GET, and say which methods they have', async () => {
    const urls = [`${app.origin}/oauth/device`, `${app.origin}/oauth/connections`, requestWith({})]
    for (const url of urls) {
      const [get, head] = await Promise.all(['GET', 'HEAD'].map((method) => fetch(url, { method, redirect: 'manual' })))
      expect([url, head?.status, head?.headers.get('content-type')]).toEqual([
        url,
        get?.status,
        get?.headers.get('content-type'),
      ])
      expect(head?.headers.get('location')?.length).toBe(get?.headers.get('location')?.length)
    }
    const allowed = urls.map(async (url) => (await fetch(url, { method: 'PUT' })).headers.get('allow'))
    expect(await Promise.all(allowed)).toEqual([
      'GET, HEAD, POST, OPTIONS',
      'GET, HEAD, POST, OPTIONS',
      'GET, HEAD, OPTIONS',
    ])
  })
})

describe('the token endpoint', () => {
  test('says which methods it has', async () => {
    for (const path of ['token', 'revoke', 'introspect', 'device_authorization', 'register']) {
      const response = await fetch(`${app.origin}/oauth/${path}`)
      expect([path, response.status, response.headers.get('allow')]).toEqual([path, 405, 'POST, OPTIONS'])
    }
  })

  test('says its own limit and media type', async () => {
    const large = await post('token', 'x'.repeat(16_385))
    expect([large.status, await large.json()]).toEqual([
      413,
      expect.objectContaining({ detail: 'The body exceeds 16384 bytes.' }),
    ])
    const form = await post('connections', 'x'.repeat(8_193))
    expect([form.status, await form.json()]).toEqual([
      413,
      expect.objectContaining({ detail: 'The body exceeds 8192 bytes.' }),
    ])
    const json = await post('connections', '{}', 'application/json')
    const detail = 'The body must be sent as application/x-www-form-urlencoded.'
    expect([json.status, await json.json()]).toEqual([415, expect.objectContaining({ detail })])
    expect(JSON.stringify(await (await post('token', '{}', 'application/json')).json())).toContain(
      'x-www-form-urlencoded',
    )
    expect(JSON.stringify(await (await post('token', '{}', 'nonsense')).json())).toContain('x-www-form-urlencoded')
  })
})

test('the link with a code fills it in', async () => {
  const body = new URLSearchParams({ client_id: clientId, scope: 'post.get' })
  const { verification_uri_complete, user_code } = Object(
    await (await post('device_authorization', String(body))).json(),
  )
  const page = await new OAuthBrowser(app.origin).open(verification_uri_complete)
  expect(headingOf(page)).toBe('Connect a device')
  expect(page.text).toContain(`name="user_code" value="${user_code}"`)
})
