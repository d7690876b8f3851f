import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { maxAuthorizations, removeExpiredAuthorizations } from '../../../src/features/applications/authorizations.ts'
import { type Person, startApp, type TestApp } from '../../support/app.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, OAuthBrowser } from '../../support/oauth/browser.ts'
import {
  authorize,
  configurationOf,
  fixedClient,
  insecure,
  personWithPassword,
  redirectUri,
} from '../../support/oauth/client.ts'
import { refusalOf } from '../../support/oauth/refusal.ts'

let app: TestApp
let robin: Person
beforeAll(async () => {
  app = await startApp({ clientRegistration: true })
  robin = await personWithPassword(app, 'robin')
})
afterAll(() => app.close())

const deviceGrant = 'urn:ietf:params:oauth:grant-type:device_code'

/** A request of an application without what `fixedClient` names. */
const asked = {
  response_type: 'code',
  redirect_uri: redirectUri,
  scope: 'post.get',
  code_challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  code_challenge_method: 'S256',
}

const list = '{ authorizations { nodes { id application { name redirectUris } scopes lastUsedAt } } }'

describe('a connected application', () => {
  test('is listed in GraphQL, and disconnected there with all its tokens', async () => {
    const client = await fixedClient(app, robin, { name: 'Listed' })
    const flow = await authorize(app, client, 'robin')
    const tokens = await flow.exchange()
    const { data } = await app.graphql(robin.token, list)
    const [authorization] = Object(data).authorizations.nodes
    expect(authorization).toMatchObject({
      application: { name: 'Listed', redirectUris: ['http://127.0.0.1/callback'] },
      scopes: ['POST_GET', 'USER_GET'],
      lastUsedAt: expect.any(String),
    })
    const revoke = 'mutation ($id: ID!) { revokeAuthorization(input: { id: $id }) { authorization { id } } }'
    const { data: revoked } = await app.graphql(robin.token, revoke, { id: authorization.id })
    expect(revoked).toEqual({ revokeAuthorization: { authorization: { id: authorization.id } } })
    expect((await app.graphql(tokens.access_token, '{ viewer { username } }')).status).toBe(401)
    expect(await refusalOf(oauth.refreshTokenGrant(flow.config, tokens.refresh_token ?? ''))).toBe('invalid_grant')
    const again = await app.graphql(robin.token, revoke, { id: authorization.id })
    expect(again.errors[0]?.extensions.code).toBe('NOT_FOUND')
  })

  test('was last used when one of its tokens was', async () => {
    const { id: userId, username, token } = await personWithPassword(app)
    const { access_token } = await (await authorize(app, await fixedClient(app, robin), username)).exchange()
    await app.database.write.prisma.oauthGrant.updateMany({ where: { userId }, data: { lastUsedAt: new Date(0) } })
    const since = Date.now()
    await app.graphql(access_token, '{ viewer { username } }')
    const { data } = await app.graphql(token, '{ authorizations { nodes { lastUsedAt } } }')
    expect(Date.parse(Object(data).authorizations.nodes[0].lastUsedAt)).toBeGreaterThanOrEqual(since)
  })

  test('is shown on a page, and disconnected there', async () => {
    const tokens = await (await authorize(app, await fixedClient(app, robin, { name: 'Shown' }), 'robin')).exchange()
    const browser = new OAuthBrowser(app.origin)
    const signIn = await browser.open(`${app.origin}/oauth/connections`)
    expect(headingOf(signIn)).toBe('Sign in')
    const page = await browser.submit(signIn, { username: 'robin', password })
    expect([headingOf(page), page.text.includes('<h2>Shown</h2>')]).toEqual(['Connected applications', true])
    const disconnect = /name="disconnect" value="([^"]+)"/.exec(page.text)?.[1] ?? ''
    const after = await browser.submit(page, { disconnect })
    expect(after.text).not.toContain('<h2>Shown</h2>')
    expect((await app.graphql(tokens.access_token, '{ viewer { username } }')).status).toBe(401)
    expect(headingOf(await browser.submit(page, { disconnect }))).toBe('Connected applications')
    const out = await browser.submit(after, { 'sign-out': 'yes' })
    expect(headingOf(out)).toBe('Sign in')
  })

  test('is refused on the page, with what to do, where the account has too many', async () => {
    const { id: userId, username } = await personWithPassword(app)
    const clients = Array.from({ length: maxAuthorizations }, () => crypto.randomUUID())
    const { prisma } = app.database.write
    await prisma.application.createMany({ data: clients.map((id) => ({ id, ownerId: userId, name: 'One of many' })) })
    const grant = { userId, scopes: [], expiresAt: new Date(Date.now() + 60_000) }
    await prisma.oauthGrant.createMany({ data: clients.map((id) => ({ ...grant, id, applicationId: id })) })
    const { end } = await authorize(app, await fixedClient(app, robin), username)
    expect([end.status, headingOf(end)]).toEqual([409, 'Conflict'])
    expect(end.text).toContain(`at most ${maxAuthorizations} connected applications`)
  })

  test('is connected by a double click', async () => {
    const { username } = await personWithPassword(app)
    const browser = new OAuthBrowser(app.origin)
    const client = await fixedClient(app, robin)
    const { pages } = await authorize(app, client, username, { browser, answer: 'deny' })
    const [, consent] = pages
    const url = new URL(`${app.origin}/oauth/authorize`)
    url.search = String(new URLSearchParams({ ...asked, client_id: client }))
    const page = await browser.open(url.href)
    expect(headingOf(page)).toBe(consent && headingOf(consent))
    const click = () => browser.submit(page, { answer: 'allow', scope: ['post.get'] })
    const ends = await Promise.all([click(), click()])
    expect(ends.map(({ url }) => new URL(url).searchParams.has('code'))).toContain(true)
    expect(ends.filter(({ status }) => status >= 500)).toEqual([])
  })

  test('is connected again after its authorization has expired', async () => {
    const { id: userId, username } = await personWithPassword(app)
    const client = await fixedClient(app, robin)
    await (await authorize(app, client, username)).exchange()
    const { prisma } = app.database.write
    await prisma.oauthGrant.updateMany({ where: { userId }, data: { expiresAt: new Date(0) } })
    const { access_token } = await (await authorize(app, client, username)).exchange()
    expect((await app.graphql(access_token, '{ viewer { username } }')).data).toEqual({ viewer: { username } })
  })

  test('is fixed where its owner registers redirect URIs, changes or deletes it', async () => {
    const create =
      'mutation ($uris: [String!]) { createApplication(input: { name: "Own", redirectUris: $uris }) { application { uuid } } }'
    for (const wrong of ['http://evil.example/', 'javascript:alert(1)', 'https://a.example/#b', 'nonsense']) {
      const { errors } = await app.graphql(robin.token, create, { uris: [wrong] })
      expect([wrong, errors[0]?.extensions.code]).toEqual([wrong, 'VALIDATION_FAILED'])
    }
    const { data } = await app.graphql(robin.token, create, { uris: ['http://127.0.0.1/callback'] })
    const { uuid } = Object(data).createApplication.application
    const tokens = await (await authorize(app, uuid, 'robin')).exchange()
    const update =
      'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { name website redirectUris } } }'
    const changes = { name: 'Renamed', website: 'https://new.example/', redirectUris: [] }
    const { data: updated } = await app.graphql(robin.token, update, { input: { uuid, ...changes } })
    expect(updated).toEqual({ updateApplication: { application: changes } })
    const { data: cleared } = await app.graphql(robin.token, update, { input: { uuid, name: null, website: null } })
    expect(cleared).toEqual({ updateApplication: { application: { ...changes, website: null } } })
    const { data: kept } = await app.graphql(robin.token, update, { input: { uuid, website: changes.website } })
    expect(kept).toEqual({ updateApplication: { application: changes } })
    expect((await app.graphql(robin.token, update, { input: { uuid, redirectUris: [] } })).data).toEqual(kept)
    const remove = 'mutation ($uuid: UUID!) { deleteApplication(input: { uuid: $uuid }) { application { name } } }'
    const stranger = await app.person()
    expect((await app.graphql(stranger.token, remove, { uuid })).errors[0]?.extensions.code).toBe('NOT_FOUND')
    expect((await app.graphql(robin.token, remove, { uuid })).data).toEqual({
      deleteApplication: { application: { name: 'Renamed' } },
    })
    expect((await app.graphql(tokens.access_token, '{ viewer { username } }')).status).toBe(401)
  })
})

describe('a client that registers itself', () => {
  const register = (origin: string, metadata: object) =>
    oauth.dynamicClientRegistration(
      new URL(origin),
      { redirect_uris: ['http://127.0.0.1/callback'], ...metadata },
      oauth.None(),
      insecure,
    )

  test('connects, and is forgotten if nobody allows it', async () => {
    const config = await register(app.origin, { client_name: 'Registered', token_endpoint_auth_method: 'none' })
    const { client_id } = config.clientMetadata()
    const unused = (await register(app.origin, { client_name: 'Unused' })).clientMetadata().client_id
    const { pages, exchange } = await authorize(app, client_id, 'robin')
    expect(pages.at(-1)?.text).toContain('An <strong>unverified application</strong>')
    expect((await exchange()).access_token).toMatch(/^rookery_/)
    const { prisma } = app.database.write
    await prisma.$executeRaw`update oauth_records set expires_at = now() - interval '1 second' where kind = 'Client'`
    await removeExpiredAuthorizations(app.database)
    expect((await authorize(app, client_id, 'robin')).end.url).toContain('code=')
    expect((await authorize(app, unused, 'robin')).end.status).toBe(400)
  })

  test.each([undefined, null, 'client_secret_basic', 'client_secret_post', 'private_key_jwt'])(
    'gets no secret where it authenticates with %s',
    async (token_endpoint_auth_method) => {
      const metadata = { client_name: 'Without a secret', token_endpoint_auth_method }
      const answer = await fetch(`${app.origin}/oauth/register`, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ redirect_uris: ['http://127.0.0.1/callback'], ...metadata }),
      })
      const registered = Object(await answer.json())
      expect([answer.status, registered.token_endpoint_auth_method]).toEqual([201, 'none'])
      expect(registered).not.toHaveProperty('client_secret')
    },
  )

  test('registers with metadata for all servers', async () => {
    const config = await register(app.origin, {
      client_name: 'Everywhere',
      client_uri: 'not a URL',
      scope: 'openid post.get offline_access',
      id_token_signed_response_alg: 'RS256',
      contacts: ['nobody'],
      logo_uri: null,
      grant_types: ['authorization_code', 'implicit'],
    })
    const { client_id } = config.clientMetadata()
    expect((await (await authorize(app, client_id, 'robin')).exchange()).scope).toBe('post.get user.get')
  })

  test('is known after it was disconnected', async () => {
    const { client_id } = (await register(app.origin, { client_name: 'Back again' })).clientMetadata()
    await (await authorize(app, client_id, 'robin')).exchange()
    const { prisma } = app.database.write
    await prisma.oauthGrant.deleteMany({ where: { application: { clientId: client_id } } })
    await prisma.$executeRaw`update oauth_records set expires_at = now() - interval '1 second' where kind = 'Client'`
    await prisma.application.updateMany({ data: { allowedAt: new Date(Date.now() - 86_400_000) } })
    await removeExpiredAuthorizations(app.database)
    expect((await authorize(app, client_id, 'robin')).end.url).toContain('code=')
  })

  test('is called unnamed without a name', async () => {
    const { client_id } = (await register(app.origin, {})).clientMetadata()
    const { pages } = await authorize(app, client_id, 'robin', { answer: 'deny' })
    expect(pages.map(headingOf).at(-1)).toBe('Connect Unnamed application?')
  })

  test.each([
    ...['', ' \u200b', 'x'.repeat(51), 'a\u202eb', 'a\nb'].map((client_name) => ({ client_name })),
    { scope: 'openid offline_access' },
    { scope: 'posts' },
  ])('is refused with %j', async (metadata) => {
    expect(await refusalOf(register(app.origin, metadata))).toBe('invalid_client_metadata')
  })

  test('needs a redirect URI unless it uses the device flow only', async () => {
    const registered = async (...grant_types: string[]) =>
      refusalOf(register(app.origin, { grant_types, redirect_uris: [] }))
    for (const others of [[], [deviceGrant]])
      expect(await registered('authorization_code', ...others)).toBe('invalid_redirect_uri')
    for (const redirect_uris of [undefined, []]) {
      const grant_types = ['refresh_token', deviceGrant]
      const config = await register(app.origin, { client_name: 'Radio', grant_types, redirect_uris })
      const { client_id, ...metadata } = config.clientMetadata()
      expect(metadata).toMatchObject({ redirect_uris: [], response_types: [], grant_types })
      const known = await configurationOf(app.origin, client_id)
      const device = await oauth.initiateDeviceAuthorization(known, { scope: 'post.get' })
      expect(device.user_code).toMatch(/^[A-Z]{4}-[A-Z]{4}$/)
    }
  })

  test('is forgotten first where strangers register more than are kept', async () => {
    const { prisma } = app.database.write
    const first = (await register(app.origin, { client_name: 'First' })).clientMetadata().client_id
    await prisma.$executeRaw`update oauth_records set expires_at = expires_at - interval '1 hour' where kind = 'Client'`
    await prisma.$executeRaw`
      insert into oauth_records (hash, kind, payload, expires_at)
      select sha256(n::text::bytea), 'Client', '{}', now() + interval '1 day' from generate_series(1, 9999) n`
    const last = (await register(app.origin, { client_name: 'Last' })).clientMetadata().client_id
    expect(await prisma.oauthRecord.count({ where: { kind: 'Client' } })).toBe(10_000)
    expect((await authorize(app, first, 'robin')).end.status).toBe(400)
    expect((await authorize(app, last, 'robin')).end.url).toContain('code=')
    await prisma.oauthRecord.deleteMany({ where: { kind: 'Client' } })
  })

  test('finds nothing where that is off', async () => {
    const closed = await startApp()
    const answer = await fetch(`${closed.origin}/oauth/register`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: '{"redirect_uris":["http://127.0.0.1/callback"]}',
    })
    expect(answer.status).toBe(404)
    const metadata = await (await fetch(`${closed.origin}/.well-known/oauth-authorization-server`)).json()
    expect(metadata).not.toHaveProperty('registration_endpoint')
    expect(metadata).toMatchObject({ issuer: closed.origin, client_id_metadata_document_supported: true })
    await closed.close()
  })
})

test('several processes share everything', async () => {
  const other = await startApp({ publicUrl: app.origin }, async () => ({ ...app.database, close: async () => {} }))
  const client_id = await fixedClient(app, robin)
  const { exchange } = await authorize(app, client_id, 'robin')
  const { refresh_token = '' } = await exchange()
  const body = new URLSearchParams({ grant_type: 'refresh_token', client_id, refresh_token })
  const answer = await fetch(`${other.origin}/oauth/token`, { method: 'POST', body })
  const { access_token } = Object(await answer.json())
  expect((await app.graphql(access_token, '{ viewer { username } }')).data).toEqual({ viewer: { username: 'robin' } })
  const metadata = await (await fetch(`${other.origin}/.well-known/oauth-authorization-server`)).json()
  expect(metadata).toMatchObject({ issuer: app.origin, token_endpoint: `${app.origin}/oauth/token` })
  await other.close()
})
