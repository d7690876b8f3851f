import { afterAll, beforeAll, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { OAuthBrowser } from '../../support/oauth/browser.ts'
import { answerPages, fixedClient, personWithPassword, redirectUri } from '../../support/oauth/client.ts'

const publicUrl = 'https://social.example/rookery'

let app: TestApp
beforeAll(async () => {
  app = await startApp({ publicUrl, prefix: '/rookery' })
  await personWithPassword(app, 'robin')
})
afterAll(() => app.close())

test('on https and below a path, an application connects, with cookies for this host alone', async () => {
  const client_id = await fixedClient(app, await app.person())
  const browser = new OAuthBrowser('https://social.example', app.origin)
  const asked = new URLSearchParams({
    client_id,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'user.get',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
    code_challenge_method: 'S256',
  })
  const { pages, end } = await answerPages(browser, `${publicUrl}/oauth/authorize?${asked}`, 'robin')
  expect(pages.map(({ url }) => url)).toEqual(Array(2).fill(expect.stringContaining(`${publicUrl}/oauth/step/`)))
  const { code = '', iss } = Object.fromEntries(new URL(end.url).searchParams)
  expect(iss).toBe(publicUrl)

  const names = new Set(browser.received.map((line) => line.slice(0, line.indexOf('='))))
  expect([...names].sort()).toEqual([
    '__Host-rookery_browser',
    '__Host-rookery_session',
    'rookery_resume',
    'rookery_step',
  ])
  for (const line of browser.received) {
    expect(line).toMatch(/; secure(?:;|$)/i)
    expect(line).toMatch(/; httponly(?:;|$)/i)
    expect(line).toMatch(/; samesite=lax(?:;|$)/i)
    expect(line).not.toMatch(/; domain=/i)
    expect(line).toMatch(line.startsWith('__Host-') ? /; path=\/;/ : /; path=\/rookery\/oauth\//)
  }

  const code_verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk'
  const grant = { grant_type: 'authorization_code', client_id, redirect_uri: redirectUri, code, code_verifier }
  const answer = await fetch(`${app.origin}/rookery/oauth/token`, { method: 'POST', body: new URLSearchParams(grant) })
  const { access_token } = Object(await answer.json())
  expect((await app.graphql(access_token, '{ viewer { username } }')).data).toEqual({ viewer: { username: 'robin' } })
})

test.each([
  [
    '/.well-known/oauth-authorization-server/rookery',
    { issuer: publicUrl, token_endpoint: `${publicUrl}/oauth/token` },
  ],
  [
    '/.well-known/oauth-protected-resource/rookery/mcp',
    { resource: `${publicUrl}/mcp`, authorization_servers: [publicUrl] },
  ],
])('%s names the public URL, whatever the Host header says', async (path, metadata) => {
  const answer = await fetch(app.origin + path, { headers: { 'x-forwarded-host': 'evil.example' } })
  expect(await answer.json()).toMatchObject(metadata)
})

test('the challenge of a 401 names the metadata below the path', async () => {
  const answer = await fetch(`${app.origin}/rookery/mcp`, { method: 'POST', body: '{}' })
  const metadata = 'https://social.example/.well-known/oauth-protected-resource/rookery/mcp'
  expect(answer.headers.get('www-authenticate')).toContain(`resource_metadata="${metadata}"`)
})
