import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { memoryLimiters } from '../../../src/engine/data/limiters.ts'
import { SignInLimits, strangersRows } from '../../../src/features/accounts/sign-in-limits.ts'
import { removeExpiredAuthorizations } from '../../../src/features/applications/authorizations.ts'
import { hashOf } from '../../../src/features/applications/oauth/records.ts'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { budgets, type Person, startApp, type TestApp } from '../../support/app.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, OAuthBrowser } from '../../support/oauth/browser.ts'
import { authorize, type Flow, fixedClient, personWithPassword, redirectUri } from '../../support/oauth/client.ts'
import { refusalOf } from '../../support/oauth/refusal.ts'

// For attacks of RFC 9700, and what a copied token could do.

let app: TestApp
let robin: Person
let clientId: string
let other: string

beforeAll(async () => {
  app = await startApp()
  robin = await personWithPassword(app, 'robin')
  clientId = await fixedClient(app, await app.person())
  other = await fixedClient(app, robin, { name: 'Other client' })
})
afterAll(() => app.close())

const codeOf = ({ end }: Flow) => new URL(end.url).searchParams.get('code') ?? ''

/** Asks the token endpoint without a library. */
async function askForTokens(fields: Record<string, string>) {
  const response = await fetch(`${app.origin}/oauth/token`, { method: 'POST', body: new URLSearchParams(fields) })
  return { status: response.status, body: Object(await response.json()) }
}

const exchangeOf = (flow: Flow, more: Record<string, string> = {}) =>
  askForTokens({
    grant_type: 'authorization_code',
    client_id: clientId,
    code: codeOf(flow),
    redirect_uri: redirectUri,
    code_verifier: flow.verifier,
    ...more,
  })

const outcomesOf = async (answers: readonly Promise<{ body: { access_token?: string; error?: string } }>[]) =>
  (await Promise.all(answers)).map(({ body }) => body.error ?? 'tokens').toSorted()

/** Lets records seem to have been used so much earlier. */
const age = (seconds: number) =>
  app.database.write.prisma.$executeRaw`
    update oauth_records set consumed_at = consumed_at - make_interval(secs => ${seconds}::float8)`

const request = (parameters: Record<string, string>, browser = new OAuthBrowser(app.origin)) => {
  const usual = {
    client_id: clientId,
    redirect_uri: redirectUri,
    response_type: 'code',
    scope: 'post.get',
    state: 'abc',
    code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWBuGJSstw-cM',
    code_challenge_method: 'S256',
  }
  return browser.open(`${app.origin}/oauth/authorize?${new URLSearchParams({ ...usual, ...parameters })}`)
}

describe('an authorization code', () => {
  test('is of no use without its verifier, with another client, or another redirect URI', async () => {
    const flow = await authorize(app, clientId, 'robin')
    for (const wrong of [
      { code_verifier: oauth.randomPKCECodeVerifier() },
      { client_id: other },
      { redirect_uri: 'http://127.0.0.1:51235/callback' },
    ])
      expect((await exchangeOf(flow, wrong)).body.error).toBe('invalid_grant')
    expect((await exchangeOf(flow)).status).toBe(200)
  })

  test('gives tokens once, also if it is sent eight times at once', async () => {
    const flow = await authorize(app, clientId, 'robin')
    const outcomes = await outcomesOf(Array.from({ length: 8 }, () => exchangeOf(flow)))
    expect(outcomes).toEqual([...Array(7).fill('invalid_grant'), 'tokens'])
  })

  test('ends the authorization if it is used again', async () => {
    const flow = await authorize(app, clientId, 'robin')
    const { body } = await exchangeOf(flow)
    await age(30)
    expect((await exchangeOf(flow)).body.error).toBe('invalid_grant')
    expect(await refusalOf(oauth.refreshTokenGrant(flow.config, body.refresh_token))).toBe('invalid_grant')
    expect((await app.graphql(body.access_token, '{ viewer { username } }')).status).toBe(401)
  })
})

describe('a refresh token', () => {
  const refresh = (token: string) =>
    askForTokens({ grant_type: 'refresh_token', client_id: clientId, refresh_token: token })

  test('has one successor, also if it is sent eight times at once', async () => {
    const { body } = await exchangeOf(await authorize(app, clientId, 'robin'))
    const answers = await Promise.all(Array.from({ length: 8 }, () => refresh(body.refresh_token)))
    const successors = new Set(answers.map((answer) => answer.body.refresh_token))
    expect([answers.map(({ status }) => status), successors.size]).toEqual([Array(8).fill(200), 1])
    for (const answer of answers)
      expect((await app.graphql(answer.body.access_token, '{ viewer { username } }')).status).toBe(200)
    const next = await Promise.all([...successors, ...successors].map(refresh))
    expect(new Set(next.map((answer) => answer.body.refresh_token)).size).toBe(1)
  })

  test('gives nobody its successor from the table later', async () => {
    const { body } = await exchangeOf(await authorize(app, clientId, 'robin'))
    const next = (await refresh(body.refresh_token)).body.refresh_token
    const seedOf = async (token: string) => {
      const hash = hashOf('RefreshToken', token)
      const { payload } = await app.database.write.prisma.oauthRecord.findUniqueOrThrow({ where: { hash } })
      return Object(payload).seed
    }
    await removeExpiredAuthorizations(app.database)
    expect([await seedOf(body.refresh_token), await seedOf(next)]).toEqual([expect.any(String), expect.any(String)])
    await age(11)
    await removeExpiredAuthorizations(app.database)
    expect([await seedOf(body.refresh_token), await seedOf(next)]).toEqual([undefined, expect.any(String)])
    expect((await refresh(next)).status).toBe(200)
  })

  test('gives the same successor to a client that has lost the answer, even after that was used', async () => {
    const { body } = await exchangeOf(await authorize(app, clientId, 'robin'))
    const lost = await refresh(body.refresh_token)
    await age(5)
    expect((await refresh(body.refresh_token)).body.refresh_token).toBe(lost.body.refresh_token)
    const next = await refresh(lost.body.refresh_token)
    expect((await refresh(body.refresh_token)).body.refresh_token).toBe(lost.body.refresh_token)
    expect((await refresh(lost.body.refresh_token)).body.refresh_token).toBe(next.body.refresh_token)
  })

  test('ends its authorization if it is used later', async () => {
    const { body } = await exchangeOf(await authorize(app, clientId, 'robin'))
    const last = await refresh((await refresh(body.refresh_token)).body.refresh_token)
    await age(11)
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
    expect((await refresh(last.body.refresh_token)).body.error).toBe('invalid_grant')
    expect((await app.graphql(last.body.access_token, '{ viewer { username } }')).status).toBe(401)
  })

  test('is refused while its account is suspended, and after the password was changed', async () => {
    const { body } = await exchangeOf(await authorize(app, clientId, 'robin'))
    await setSuspended(app.database, 'operator', { uuid: robin.id }, true)
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
    await setSuspended(app.database, 'operator', { uuid: robin.id }, false)
    const next = await refresh(body.refresh_token)
    expect(next.status).toBe(200)
    const input = { currentPassword: password, newPassword: password }
    const change = 'mutation ($input: ChangePasswordInput!) { changePassword(input: $input) { viewer { uuid } } }'
    expect((await app.graphql(robin.token, change, { input })).errors).toEqual([])
    expect((await refresh(next.body.refresh_token)).body.error).toBe('invalid_grant')
    expect((await app.graphql(next.body.access_token, '{ viewer { username } }')).status).toBe(401)
  })
})

describe('a request', () => {
  test.each([
    ['another host', 'https://evil.example/callback'],
    ['another path', 'http://127.0.0.1:51234/other'],
    ['a longer path', 'http://127.0.0.1:51234/callback/../evil'],
    ['a user', 'http://127.0.0.1@evil.example/callback'],
    ['a fragment', `${redirectUri}#fragment`],
  ])('leads nowhere with a redirect URI that was not registered: %s', async (_what, redirect_uri) => {
    const { url, text } = await request({ redirect_uri })
    expect(url).toMatch(new RegExp(`^${app.origin}`))
    expect(text).toContain('redirect_uri')
  })

  test('of the pages of this server leads to this server only, and not to a device', async () => {
    const own = { client_id: 'rookery-web', redirect_uri: `${app.origin}/oauth/callback` }
    expect(headingOf(await request(own))).toBe('Sign in')
    const { url, text } = await request({ ...own, redirect_uri: 'http://127.0.0.1:51234/oauth/callback' })
    expect(url).toMatch(new RegExp(`^${app.origin}`))
    expect(text).toContain('redirect_uri')
    const body = new URLSearchParams({ client_id: 'rookery-web', scope: 'post.get' })
    const device = await fetch(`${app.origin}/oauth/device_authorization`, { method: 'POST', body })
    expect(await device.json()).toMatchObject({
      error: 'invalid_request',
      error_description: expect.stringContaining('not allowed'),
    })
  })

  test('cannot do without PKCE, or with its plain method', async () => {
    const refused = await request({ code_challenge_method: 'plain' })
    const without = await request({ code_challenge: '', code_challenge_method: '' })
    for (const { url } of [refused, without]) expect(new URL(url).searchParams.get('error')).toBe('invalid_request')
    expect(new URL(refused.url).searchParams.get('iss')).toBe(app.origin)
  })

  test('cannot ask for tokens in the URL, or for an answer in a script page', async () => {
    const implicit = await request({ response_type: 'token' })
    expect(implicit.url).toContain('error=invalid_request')
    expect(implicit.url).not.toContain('access_token')
    const script = await request({ response_mode: 'form_post' })
    expect(script.text).not.toContain('<script')
  })

  test('is for this server only', async () => {
    const { url } = await request({ resource: 'https://evil.example/' })
    expect(new URL(url).searchParams.get('error')).toBe('invalid_target')
  })
})

describe('a token', () => {
  test('for agents is refused by both APIs, and one for the APIs at /mcp', async () => {
    const flow = await authorize(app, clientId, 'robin', { parameters: { resource: `${app.origin}/mcp` } })
    const forAgents = (await exchangeOf(flow)).body.access_token
    expect((await app.graphql(forAgents, '{ viewer { username } }')).status).toBe(401)
    const forApis = (await exchangeOf(await authorize(app, clientId, 'robin'))).body.access_token
    const mcp = (token: string) =>
      fetch(`${app.origin}/mcp`, { method: 'POST', headers: { authorization: `Bearer ${token}` }, body: '{}' })
    const refused = await mcp(forApis)
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain('/.well-known/oauth-protected-resource/mcp"')
    expect((await mcp(forAgents)).status).not.toBe(401)
  })

  test('for moderation goes to moderators only, who have to tick it', async () => {
    const asking = { scope: 'post.get moderation.manage' }
    const { pages } = await authorize(app, clientId, 'robin', asking)
    expect(pages.at(-1)?.text).not.toContain('moderation.manage')
    const moderator = await personWithPassword(app)
    await app.token(moderator, ['moderation.manage'])
    const { pages: asked } = await authorize(app, clientId, moderator.username, asking)
    expect(asked.at(-1)?.text).toMatch(/value="moderation.manage">/)
    expect(asked.at(-1)?.text).toMatch(/value="post.get" checked>/)
  })
})

describe('a page', () => {
  test('cannot be framed, runs no scripts, and sends no referrer elsewhere', async () => {
    const { headers, text } = await request({})
    expect(headers.get('content-security-policy')).toContain("frame-ancestors 'none'")
    expect(headers.get('content-security-policy')).not.toContain('script-src')
    expect([headers.get('referrer-policy'), headers.get('cache-control')]).toEqual(['same-origin', 'no-store'])
    expect(text).not.toContain('<script')
  })

  test('takes no form from another site', async () => {
    const form = { username: 'robin', password }
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])
      for (const path of ['/oauth/connections/sign-in', '/oauth/connections', '/oauth/device']) {
        const body = new URLSearchParams(form)
        const response = await fetch(app.origin + path, { method: 'POST', body, headers })
        expect([path, response.status]).toEqual([path, 403])
      }
  })

  test('of a step belongs to the browser that has begun it', async () => {
    const { url } = await request({})
    const elsewhere = await new OAuthBrowser(app.origin).open(url)
    expect([elsewhere.status, headingOf(elsewhere)]).toEqual([400, 'This page has expired'])
  })
})

test('requests count against the budget of their address', async () => {
  const poor = await startApp({ budgets: budgets({ points: 20_000, seconds: 3_600 }) })
  const statuses = []
  for (const path of [
    'token',
    'device_authorization',
    'device_authorization',
    'device_authorization',
    'token',
    'device_authorization',
  ]) {
    const body = new URLSearchParams({ client_id: 'unknown' })
    statuses.push((await fetch(`${poor.origin}/oauth/${path}`, { method: 'POST', body })).status)
  }
  expect(statuses.slice(0, 5)).toEqual(Array(5).fill(statuses[0]))
  expect(statuses[5]).toBe(429)
  const page = await fetch(`${poor.origin}/oauth/authorize`, { headers: { accept: 'text/html' } })
  expect([page.status, await page.text()]).toEqual([429, expect.stringContaining('Please try again')])
  await poor.close()
})

test('one address can cause a bounded number of rows before anybody signs in', async () => {
  const signInLimits = new SignInLimits(memoryLimiters)
  const limited = await startApp({ clientRegistration: true, signInLimits })
  const [step, registration] = [`${limited.origin}/oauth/authorize`, `${limited.origin}/oauth/register`]
  const headers = { 'content-type': 'application/json' }
  const body = '{"redirect_uris":["http://127.0.0.1/callback"]}'
  for (const [kind, ask] of [
    ['step', () => fetch(step)],
    ['registration', () => fetch(registration, { method: 'POST', headers, body })],
  ] as const) {
    for (let used = 1; used < strangersRows[kind].points; used += 1) await signInLimits.addRow(kind, '127.0.0.1')
    expect((await ask()).status).not.toBe(429)
    expect((await ask()).status).toBe(429)
  }
  await limited.close()
})

test('the tables contain no code, token or cookie', async () => {
  const { prisma } = app.database.write
  const flow = await authorize(app, clientId, 'robin')
  const { body } = await exchangeOf(flow)
  const next = await askForTokens({
    grant_type: 'refresh_token',
    client_id: clientId,
    refresh_token: body.refresh_token,
  })
  const waiting = new OAuthBrowser(app.origin)
  await request({}, waiting)
  const dump = JSON.stringify([
    await prisma.$queryRaw`select kind, payload::text, encode(hash, 'base64') as hash from oauth_records`,
    await prisma.$queryRaw`select row_to_json(oauth_grants)::text as row from oauth_grants`,
    await prisma.$queryRaw`select row_to_json(access_tokens)::text as row from access_tokens`,
  ])
  const tokens = [body, next.body].flatMap(({ access_token, refresh_token }) => [access_token, refresh_token])
  const secrets = [codeOf(flow), ...tokens, ...flow.browser.secrets, ...waiting.secrets]
  expect(secrets.length).toBeGreaterThan(5)
  expect(secrets.filter((secret) => secret === '' || dump.includes(secret))).toEqual([])
})
