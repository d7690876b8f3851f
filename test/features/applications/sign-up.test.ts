import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Admission } from '../../../src/features/accounts/admission.ts'
import { createInvitationOfOperator } from '../../../src/features/invitations/invitations.ts'
import { admitting, sharing, startApp, type TestApp } from '../../support/app.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, OAuthBrowser, problemOf, scopesOffered } from '../../support/oauth/browser.ts'
import { authorizationUrl, fixedClient, redirectUri } from '../../support/oauth/client.ts'

let app: TestApp
let client: string
beforeAll(async () => {
  app = await startApp({ ...admitting({ signUp: 'approval' }), signInLimits: undefined })
  client = await fixedClient(app, await app.person())
})
afterAll(() => app.close())

/** Opens the page to sign up, as somebody who connects an application. */
async function openSignUp(on = app) {
  const browser = new OAuthBrowser(on.origin)
  const page = await browser.open(await authorizationUrl(on, client))
  const [, path] = /href="([^"]+\/sign-up)"/.exec(page.text) ?? []
  return path === undefined ? undefined : { browser, page: await browser.open(on.origin + path) }
}

async function opened(on = app) {
  const found = await openSignUp(on)
  if (!found) throw new TypeError('the page to sign in leads to no page to sign up')
  return found
}

const row = (username: string) =>
  app.database.write.prisma.user.findFirst({ where: { username }, include: { pending: true } })
const entered = (username: string) => ({ username, email: `${username}@example.org`, password })

describe('signing up while an application connects, where moderators approve', () => {
  test('takes the reason, and connects the account, which then only reads', async () => {
    const { browser, page } = await opened()
    const refused = await browser.submit(page, entered('weaver'))
    expect([refused.status, problemOf(refused)]).toEqual([422, 'reason: This is required.'])
    const consent = await browser.submit(refused, { ...entered('weaver'), reason: 'I weave.\r\nA lot.' })
    expect(headingOf(consent)).toMatch(/^Connect /)
    const end = await browser.submit(consent, { answer: 'allow', scope: scopesOffered(consent) })
    expect(end.url).toMatch(new RegExp(`^${redirectUri}\\?code=`))
    expect((await row('weaver'))?.pending?.reason).toBe('I weave.\nA lot.')
  })

  test('takes an invitation instead, which can be corrected', async () => {
    const { code } = await createInvitationOfOperator(app.database, {})
    const { browser, page } = await opened()
    const refused = await browser.submit(page, { ...entered('visitor'), invitation: 'typo' })
    expect([refused.status, problemOf(refused)]).toEqual([
      422,
      'invitation: This is wrong, was used up or has expired.',
    ])
    expect(refused.text).toContain('<input name="invitation" value="typo"')
    expect(refused.text).toContain('<textarea name="reason"')
    const consent = await browser.submit(refused, { ...entered('visitor'), invitation: code })
    expect(headingOf(consent)).toMatch(/^Connect /)
    expect((await row('visitor'))?.pending).toBeNull()
    expect(JSON.stringify(app.lines)).not.toContain(code)
  })
})

const other = (signUp: Admission['signUp']) =>
  startApp({ ...admitting({ signUp }), signInLimits: undefined }, sharing(app))

test('where only invited people join, signing up requires the invitation', async () => {
  const invited = await other('invitation')
  const { code } = await createInvitationOfOperator(app.database, {})
  const { browser, page } = await opened(invited)
  const refused = await browser.submit(page, entered('invited'))
  expect([refused.status, problemOf(refused)]).toEqual([422, 'Sign-up on this server requires an invitation.'])
  expect(headingOf(await browser.submit(refused, { ...entered('invited'), invitation: code }))).toMatch(/^Connect /)
  await invited.close()
})

test('where sign-up is closed, the page to sign in does not lead to it', async () => {
  const closed = await other('closed')
  expect(await openSignUp(closed)).toBeUndefined()
  await closed.close()
})
