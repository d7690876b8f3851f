import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EmailTokenKind } from '../../../src/data/generated/prisma/enums.ts'
import { createEmailToken } from '../../../src/domain/email-tokens.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/chromium.ts'
import { outcomeOf } from '../../support/outcomes.ts'
import { personOf, signIn, signUp } from '../../support/sign-in.ts'
import { lightnessOf, overflowOf, withBrowser } from '../../support/watched-page.ts'

let app: TestApp
let ada: Person
beforeAll(async () => {
  app = await startApp()
  ada = personOf(await signUp(app, { username: 'ada' }))
})
afterAll(() => app.close())

const makeToken = (kind: EmailTokenKind) =>
  createEmailToken(app.database.write.prisma, { kind, userId: ada.id, email: 'ada@example.org' })
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const send = (path: string, fields: Record<string, string>) =>
  fetch(`${app.origin}${path}`, { method: 'POST', headers: form, body: new URLSearchParams(fields) })
const isVerified = async () =>
  (await app.database.write.prisma.user.findUniqueOrThrow({ where: { id: ada.id } })).emailVerified

test('opening a link changes nothing, and the log does not have its token', async () => {
  const token = await makeToken('VERIFY')
  const response = await fetch(`${app.origin}/verify?token=${token}`)
  const text = await response.text()
  expect(text).toContain(`value="${token}"`)
  expect(response.headers.get('referrer-policy')).toBe('no-referrer')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await isVerified()).toBe(false)
  expect(JSON.stringify(app.lines)).not.toContain(token)
  expect(await (await send('/verify', { token })).text()).toContain('Your e-mail address is confirmed')
  expect(await isVerified()).toBe(true)
  expect(await (await send('/verify', { token })).text()).toContain('This link does not work')
})

test.each(['', 'nope', `"><script>alert(1)</script>`, `rookery_${'a'.repeat(44)}`])(
  'the token %j gets no form',
  async (token) => {
    for (const path of ['/verify', '/reset']) {
      const text = await (await fetch(`${app.origin}${path}?${new URLSearchParams({ token })}`)).text()
      expect(text).toContain('This link does not work')
      expect(text).not.toContain('alert(1)')
      expect(await (await send(path, { token, password: 'a new password' })).text()).toContain(
        'This link does not work',
      )
    }
  },
)

test('bodies that are no forms, or are large, are refused, as are other methods', async () => {
  const token = await makeToken('RESET')
  const json = await fetch(`${app.origin}/reset`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ token, password: 'a new password' }),
  })
  expect(json.status).toBe(415)
  expect((await send('/reset', { token, password: 'x'.repeat(5_000) })).status).toBe(413)
  const put = await fetch(`${app.origin}/reset`, { method: 'PUT' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
})

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  const started = withBrowser()

  test.each(['light', 'dark'] as const)(
    'a password is set without scripts, on a phone, in %s colours',
    async (colorScheme) => {
      const browser: Browser = started.browser
      const prefixed = await startApp({ prefix: '/social' }, sharing(app))
      const context = await browser.newContext({
        javaScriptEnabled: false,
        viewport: { width: 320, height: 640 },
        colorScheme,
      })
      const page = await context.newPage()
      await page.goto(`${prefixed.origin}/social/reset?token=${await makeToken('RESET')}`)
      await page.getByLabel('New password').fill('         ')
      await page.getByRole('button', { name: 'Set password' }).click()
      expect(await page.getByRole('alert').innerText()).toMatch(/^The password must /)
      expect(await overflowOf(page)).toBe(0)
      expect((await lightnessOf(page)) > 128).toBe(colorScheme === 'light')
      const secret = `${colorScheme} password`
      await page.getByLabel('New password').fill(secret)
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.getByRole('heading', { name: 'Your password is changed' }).waitFor()
      expect(outcomeOf(await signIn(app, 'ada', secret))).toBe('DONE')
      await context.close()
      await prefixed.close()
    },
  )
})
