import * as oauth from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startApp, type TestApp } from '../support/app.ts'
import { password } from '../support/graphql/sign-in.ts'
import { headingOf, OAuthBrowser, problemOf, scopesOffered } from '../support/oauth/browser.ts'
import { configurationOf, fixedClient, personWithPassword } from '../support/oauth/client.ts'
import { refusalOf } from '../support/oauth/refusal.ts'

let app: TestApp
let config: oauth.Configuration

beforeAll(async () => {
  app = await startApp()
  const robin = await personWithPassword(app, 'robin')
  config = await configurationOf(app.origin, await fixedClient(app, robin, { name: 'Television' }))
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
    expect(problemOf(wrong)).toBe('This code is wrong, was used or has expired.')
    const confirmation = await browser.submit(wrong, { user_code: device.user_code })
    expect(headingOf(confirmation)).toBe('Is this the code on your device?')
    expect(confirmation.text).toContain(`<strong>${device.user_code}</strong>, to connect Television.`)
    const signIn = await browser.submit(confirmation, { confirm: 'yes' })
    const consent = await browser.submit(signIn, { username: 'robin', password })
    expect(headingOf(consent)).toBe('Connect Television?')
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
    expect(problemOf(refused)).toBe('The request was refused. You can close this page.')
    expect(await refusalOf(poll(device.device_code))).toBe('access_denied')
  })
})
