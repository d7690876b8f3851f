import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, OAuthBrowser, problemOf, scopesOffered } from '../../support/oauth/browser.ts'
import {
  authorizationUrl,
  authorize,
  configurationOf,
  fixedClient,
  personWithPassword,
  redirectUri,
} from '../../support/oauth/client.ts'
import { refusalOf } from '../../support/oauth/refusal.ts'

let app: TestApp
let robin: Person
let clientId: string

beforeAll(async () => {
  app = await startApp()
  robin = await personWithPassword(app, 'robin')
  clientId = await fixedClient(app, await app.person('owner'), { name: 'Bird <watcher>' })
})
afterAll(() => app.close())

const viewerOf = async (token: string) => (await app.graphql(token, '{ viewer { username } }')).data

describe('an application that asks for an authorization code', () => {
  test('gets tokens for what its user allows', async () => {
    const { pages, end, exchange } = await authorize(app, clientId, 'robin', { scope: 'post.get user.get post.send' })
    expect(pages.map(headingOf)).toEqual(['Sign in', 'Connect Bird <watcher>?'])
    expect(pages[1]?.text).toContain('An application registered here by <strong>@owner</strong>')
    expect(pages.flatMap(scopesOffered)).toEqual(['post.get', 'user.get', 'post.send'])
    expect(end.url).toMatch(new RegExp(`^${redirectUri}\\?code=`))
    expect(new URL(end.url).searchParams.get('iss')).toBe(app.origin)
    const tokens = await exchange()
    expect(tokens).toMatchObject({ token_type: 'bearer', scope: 'post.get post.send user.get', expires_in: 3_600 })
    expect(tokens.access_token).toMatch(/^rookery_[\w-]{43}$/)
    expect(await viewerOf(tokens.access_token)).toEqual({ viewer: { username: 'robin' } })
    const send = 'mutation { sendPost(input: { content: "From a client" }) { publication { from { name } } } }'
    const { data } = await app.graphql(tokens.access_token, send)
    expect(data).toEqual({ sendPost: { publication: { from: { name: 'Bird <watcher>' } } } })
  })

  test('is told which scopes its user has unticked', async () => {
    const { exchange } = await authorize(app, clientId, 'robin', { scope: 'post.get user.get', chosen: ['user.get'] })
    const { access_token, scope } = await exchange()
    expect(scope).toBe('user.get')
    const { errors } = await app.graphql(access_token, 'mutation { sendPost(input: { content: "No" }) { __typename } }')
    expect(errors[0]?.extensions.code).toBe('INSUFFICIENT_SCOPE')
  })

  test('is told that its user has refused', async () => {
    const { end } = await authorize(app, clientId, 'robin', { answer: 'deny' })
    const { searchParams } = new URL(end.url)
    expect([searchParams.get('error'), searchParams.get('iss')]).toEqual(['access_denied', app.origin])
  })

  test('asks again only where another program could listen on the port', async () => {
    const redirectUris = ['http://127.0.0.1/callback', 'https://app.example/back', 'com.example.app:/back']
    const client = await fixedClient(app, robin, { redirectUris })
    const { browser } = await authorize(app, client, 'robin')
    const counts = []
    for (const redirect of [redirectUri, ...redirectUris])
      counts.push((await authorize(app, client, 'robin', { browser, redirect })).pages.length)
    expect(counts).toEqual([1, 1, 0, 1])
  })

  test('asks for a password again where the account of the browser was suspended or is being deleted', async () => {
    const { id, token, username } = await personWithPassword(app)
    const { browser } = await authorize(app, clientId, username)
    await setSuspended(app.database, 'operator', { uuid: id, reason: 'Spam' }, true)
    const { end, pages } = await authorize(app, clientId, username, { browser })
    expect([...pages, end].map(headingOf)).toEqual(['Sign in', 'Your account is suspended'])
    await setSuspended(app.database, 'operator', { uuid: id }, false)
    await app.graphql(
      token,
      'mutation ($password: String!) { deleteAccount(input: { password: $password }) { finalAt } }',
      { password },
    )
    const again = await authorize(app, clientId, username, { browser })
    expect(again.pages.map(headingOf)[0]).toBe('Sign in')
    expect((await again.exchange()).scope).toBe('post.get user.get')
  })

  test('refuses a wrong password, and shows the page again', async () => {
    const browser = new OAuthBrowser(app.origin)
    const page = await browser.open(await authorizationUrl(app, clientId))
    const again = await browser.submit(page, { username: 'robin', password: 'wrong' })
    expect([again.status, problemOf(again)]).toEqual([422, 'The username or the password is wrong.'])
    const signUp = await browser.open(/href="([^"]+sign-up)"/.exec(again.text)?.[1]?.replace(/^/, app.origin) ?? '')
    const taken = await browser.submit(signUp, { username: 'robin', email: 'a@example.org', password })
    expect([headingOf(taken), problemOf(taken)]).toEqual(['Sign up', 'username: This is taken.'])
    const consent = await browser.submit(taken, { username: 'newcomer', email: 'n@example.org', password })
    expect(consent.text).toContain('@newcomer')
  })
})

describe('a refresh token', () => {
  test('is replaced with each use, and gets no more than was allowed', async () => {
    const { config, exchange } = await authorize(app, clientId, 'robin', { scope: 'post.get user.get' })
    const { refresh_token = '' } = await exchange()
    const next = await oauth.refreshTokenGrant(config, refresh_token)
    expect(next.refresh_token).not.toBe(refresh_token)
    expect(await viewerOf(next.access_token)).toEqual({ viewer: { username: 'robin' } })
    const narrow = await oauth.refreshTokenGrant(config, next.refresh_token ?? '', { scope: 'post.get' })
    expect(narrow.scope).toBe('post.get')
    const wide = oauth.refreshTokenGrant(config, narrow.refresh_token ?? '', { scope: 'post.get account.manage' })
    expect(await refusalOf(wide)).toBe('invalid_scope')
  })
})

describe('revocation and introspection', () => {
  test('revoking either token ends the authorization, at once', async () => {
    for (const kind of ['access_token', 'refresh_token'] as const) {
      const { config, exchange } = await authorize(app, clientId, 'robin')
      const tokens = await exchange()
      expect(await viewerOf(tokens.access_token)).not.toBeNull()
      await oauth.tokenRevocation(config, tokens[kind] ?? '')
      const { errors } = await app.graphql(tokens.access_token, '{ viewer { username } }')
      expect(errors[0]?.extensions.code).toBe('UNAUTHENTICATED')
      expect(await refusalOf(oauth.refreshTokenGrant(config, tokens.refresh_token ?? ''))).toBe('invalid_grant')
    }
  })

  test('the tokens of an account that is suspended are inactive', async () => {
    const { id, username } = await personWithPassword(app)
    const { config, exchange } = await authorize(app, clientId, username)
    const { access_token, refresh_token = '' } = await exchange()
    await setSuspended(app.database, 'operator', { uuid: id }, true)
    for (const token of [access_token, refresh_token])
      expect(await oauth.tokenIntrospection(config, token)).toEqual({ active: false })
    await setSuspended(app.database, 'operator', { uuid: id }, false)
    expect((await oauth.tokenIntrospection(config, access_token)).active).toBe(true)
  })

  test('a client reads and revokes its own tokens only', async () => {
    const { config, exchange } = await authorize(app, clientId, 'robin')
    const { access_token } = await exchange()
    const other = await configurationOf(app.origin, await fixedClient(app, robin))
    const own = await oauth.tokenIntrospection(config, access_token)
    expect(own).toMatchObject({
      active: true,
      client_id: clientId,
      sub: robin.id,
      aud: app.origin,
      scope: 'post.get user.get',
    })
    expect(await oauth.tokenIntrospection(other, access_token)).toEqual({ active: false })
    await oauth.tokenRevocation(other, access_token)
    expect(await viewerOf(access_token)).toEqual({ viewer: { username: 'robin' } })
  })
})
