import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../../support/app.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, OAuthBrowser, problemOf, scopesOffered } from '../../support/oauth/browser.ts'
import { configurationOf, fixedClient, personWithPassword } from '../../support/oauth/client.ts'
import { refusalOf } from '../../support/oauth/refusal.ts'

let app: TestApp
let config: oauth.Configuration

beforeAll(async () => {
  app = await startApp({ clientRegistration: true })
  const robin = await personWithPassword(app, 'robin')
  config = await configurationOf(
    app.origin,
    await fixedClient(app, robin, { name: 'Television', redirectUris: [], deviceFlow: true }),
  )
})
afterAll(() => app.close())

const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
const poll = (device_code: string) => oauth.genericGrantRequest(config, grantType, { device_code })

/** Lets the last poll of a device seem to be longer ago. */
const wait = () =>
  app.database.write.prisma.$executeRaw`
    update oauth_records set payload = payload - 'polledAt' where kind = 'DeviceCode'`

describe('a device', () => {
  test('is connected with its code in a browser', async () => {
    const device = await oauth.initiateDeviceAuthorization(config, { scope: 'post.get user.get' })
    expect(await refusalOf(poll(device.device_code))).toBe('authorization_pending')
    const browser = new OAuthBrowser(app.origin)
    const entry = await browser.open(device.verification_uri)
    const wrong = await browser.submit(entry, { user_code: 'WRNG-CODE' })
    expect(problemOf(wrong)).toBe('user_code: This is wrong, has expired or has already been used.')
    const confirmation = await browser.submit(wrong, { user_code: device.user_code })
    expect(headingOf(confirmation)).toBe('Is this the code on your device?')
    expect(confirmation.text).toContain(`<strong>${device.user_code}</strong>, to connect Television.`)
    expect(confirmation.text).toContain('Continue only if you started this yourself')
    const signIn = await browser.submit(confirmation, { confirm: 'yes' })
    const consent = await browser.submit(signIn, { username: 'robin', password })
    expect(headingOf(consent)).toBe('Connect Television?')
    for (const shown of ['@robin', 'Read posts', 'on <strong>another device</strong>'])
      expect(consent.text).toContain(shown)
    const done = await browser.submit(consent, { answer: 'allow', scope: scopesOffered(consent) })
    expect(headingOf(done)).toBe('Your device is connected')
    await wait()
    const tokens = await poll(device.device_code)
    expect(tokens.scope).toBe('post.get user.get')
    const { data } = await app.graphql(tokens.access_token, '{ viewer { username } }')
    expect(data).toEqual({ viewer: { username: 'robin' } })
    expect((await oauth.refreshTokenGrant(config, tokens.refresh_token ?? '')).access_token).toMatch(/^rookery_/)
    await wait()
    expect(await refusalOf(poll(device.device_code))).toBe('invalid_grant')
  })

  test('that polls too fast is told to slow down', async () => {
    const { device_code } = await oauth.initiateDeviceAuthorization(config, { scope: 'post.get' })
    expect(await refusalOf(poll(device_code))).toBe('authorization_pending')
    expect(await refusalOf(poll(device_code))).toBe('slow_down')
    await wait()
    expect(await refusalOf(poll(device_code))).toBe('authorization_pending')
  })

  test('is told that its code was refused', async () => {
    const device = await oauth.initiateDeviceAuthorization(config, { scope: 'post.get' })
    const browser = new OAuthBrowser(app.origin)
    const confirmation = await browser.submit(await browser.open(device.verification_uri_complete ?? ''), {
      user_code: device.user_code,
    })
    const refused = await browser.submit(confirmation, { abort: 'yes' })
    expect(problemOf(refused)).toBe('You denied the request. You can close this page.')
    expect(await refusalOf(poll(device.device_code))).toBe('access_denied')
  })

  test('asks for consent each time, also for an application that has it already', async () => {
    const browser = new OAuthBrowser(app.origin)
    for (const isFirst of [true, false]) {
      const device = await oauth.initiateDeviceAuthorization(config, { scope: 'post.get user.get' })
      const entry = await browser.open(device.verification_uri_complete ?? '')
      const confirmation = await browser.submit(entry, { user_code: device.user_code })
      const next = await browser.submit(confirmation, { confirm: 'yes' })
      const consent = isFirst ? await browser.submit(next, { username: 'robin', password }) : next
      expect(headingOf(consent)).toBe('Connect Television?')
      const done = await browser.submit(consent, { answer: 'allow', scope: scopesOffered(consent) })
      expect(headingOf(done)).toBe('Your device is connected')
    }
  })

  test('connects only applications that have asked for it', async () => {
    const { token } = await app.person()
    const create =
      'mutation ($input: CreateApplicationInput!) { createApplication(input: $input) { application { uuid deviceFlow } } }'
    const update =
      'mutation ($input: UpdateApplicationInput!) { updateApplication(input: $input) { application { deviceFlow } } }'
    const start = async (client_id: string) => {
      const body = new URLSearchParams({ client_id, scope: 'post.get' })
      const response = await fetch(`${app.origin}/oauth/device_authorization`, { method: 'POST', body })
      return Object(await response.json()).error ?? 'started'
    }
    const input = { name: 'Radio', redirectUris: ['https://radio.example/back'] }
    const { data } = await app.graphql(token, create, { input })
    const { uuid, deviceFlow } = Object(data).createApplication.application
    expect([deviceFlow, await start(uuid)]).toEqual([false, 'invalid_request'])
    await app.graphql(token, update, { input: { uuid, deviceFlow: true } })
    expect(await start(uuid)).toBe('started')

    const register = async (more: object) => {
      const body = JSON.stringify({ client_name: 'Set', redirect_uris: ['http://127.0.0.1/callback'], ...more })
      const headers = { 'content-type': 'application/json' }
      const response = await fetch(`${app.origin}/oauth/register`, { method: 'POST', body, headers })
      return start(Object(await response.json()).client_id)
    }
    const deviceGrants = ['authorization_code', 'refresh_token', grantType]
    expect([await register({}), await register({ grant_types: deviceGrants })]).toEqual(['invalid_request', 'started'])
  })
})
