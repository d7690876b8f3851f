import type { Browser } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { EmailTokenKind } from '../../../src/engine/data/generated/prisma/enums.ts'
import { createEmailToken } from '../../../src/features/mail/links.ts'
import { budgets, type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { lightnessOf, overflowOf, withBrowser } from '../../support/browser/watched-page.ts'
import { outcomeOf } from '../../support/graphql/outcomes.ts'
import { personOf, signIn, signUp } from '../../support/graphql/sign-in.ts'

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
  expect(response.headers.get('referrer-policy')).toBe('same-origin')
  expect(response.headers.get('cache-control')).toBe('no-store')
  expect(await isVerified()).toBe(false)
  expect(JSON.stringify(app.lines)).not.toContain(token)
  expect(await (await send('/verify', { token })).text()).toContain('Your e-mail address has been confirmed')
  expect(await isVerified()).toBe(true)
  // A second click is no failure.
  expect(await (await send('/verify', { token })).text()).toContain('Your e-mail address has been confirmed')
})

test.each(['.', ')', '>', '>,', ').'])('a link that was copied with %j after it works', async (end) => {
  const opened = await fetch(`${app.origin}/verify?token=${await makeToken('VERIFY')}${end}`)
  expect(await opened.text()).toMatch(/value="rookery_[\w-]{43}"/)
  const pasted = await send('/reset', { token: `${await makeToken('RESET')}${end}`, password: 'a new password' })
  expect(await pasted.text()).toContain('Your password has been changed')
})

test.each(['nope', `"><script>alert(1)</script>`, `rookery_${'a'.repeat(44)}`])(
  'the token %j gets no form',
  async (token) => {
    for (const path of ['/verify', '/reset']) {
      const text = await (await fetch(`${app.origin}${path}?${new URLSearchParams({ token })}`)).text()
      expect(text).toContain('This link does not work')
      expect(text).not.toContain('alert(1)')
      const sent = await send(path, { token, password: 'a new password' })
      expect(sent.status).toBe(422)
      expect(await sent.text()).toContain('This link does not work')
    }
  },
)

test('bodies that are not forms or are too large are refused, and so are other methods', async () => {
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

test('whoever forgot the password asks for a link, and the answer does not tell whether there is an account', async () => {
  const mailing = await startApp({ mail: { signInNotice: false } }, sharing(app))
  const ask = (email: string) =>
    fetch(`${mailing.origin}/reset`, { method: 'POST', headers: form, body: new URLSearchParams({ email }) })
  expect(await (await fetch(`${mailing.origin}/oauth/connections`)).text()).toContain('href="/reset"')
  const page = await (await fetch(`${mailing.origin}/reset`)).text()
  expect(page).toContain('name="email"')
  const answers = await Promise.all(['ada@example.org', ' Nobody@Example.org '].map(ask))
  const [known, unknown] = await Promise.all(answers.map((answer) => answer.text()))
  expect(known).toBe(unknown)
  expect(known).toContain('If there is an account with this address')
  const where = { kind: 'find-accounts-to-reset' }
  const asked = await app.database.write.prisma.job.findMany({ where, orderBy: { key: 'asc' } })
  expect(asked.map(({ payload }) => payload)).toEqual([
    { address: 'ada@example.org' },
    { address: 'nobody@example.org' },
  ])
  const wrong = await ask('<b>ada</b>@example.org')
  expect(wrong.status).toBe(422)
  expect(await wrong.text()).toMatch(/role="alert" id="wrong-email">This must be an e-mail address\.</)
  await app.database.write.prisma.job.deleteMany({ where })
  await mailing.close()
})

test('a server without e-mail says so, and links to no such page', async () => {
  const noMail = 'This server sends no e-mail'
  expect(await (await fetch(`${app.origin}/reset`)).text()).toContain(noMail)
  expect(await (await send('/reset', { email: 'ada@example.org' })).text()).toContain(noMail)
  expect(await (await fetch(`${app.origin}/oauth/connections`)).text()).not.toContain('href="/reset"')
})

test('forms take from the budget of their address, and the page says when it is used up', async () => {
  const limited = await startApp({ budgets: budgets({ points: 1_000, seconds: 3_600 }) }, sharing(app))
  const headers = { ...form, accept: 'text/html' }
  const invalid = { method: 'POST', headers, body: new URLSearchParams({ token: `rookery_${'a'.repeat(43)}` }) }
  const answers = []
  for (let sent = 0; sent < 5; sent += 1) answers.push(await fetch(`${limited.origin}/verify`, invalid))
  expect(answers.map(({ status }) => status)).toEqual([422, 422, 422, 429, 429])
  expect(Number(answers[4]?.headers.get('retry-after'))).toBeGreaterThan(0)
  expect(await answers[4]?.text()).toContain('Please try again')
  await limited.close()
})

test('forms of an address wait for its slots, as its other requests do', async () => {
  const narrow = await startApp({ slots: { atOnce: 1, waiting: 0, waitTimeout: 0 } }, sharing(app))
  const sendForm = (token: string) =>
    fetch(`${narrow.origin}/verify`, { method: 'POST', headers: form, body: new URLSearchParams({ token }) })
  const tokens = Array.from({ length: 8 }, (_, nth) => `rookery_${String(nth).repeat(43)}`)
  const statuses = (await Promise.all(tokens.map(sendForm))).map(({ status }) => status)
  expect(new Set(statuses)).toEqual(new Set([422, 503]))
  await narrow.close()
})

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  const started = withBrowser()

  test.each(['light', 'dark'] as const)(
    'a link is asked for and a password set without scripts, on a phone, in %s colours',
    async (colorScheme) => {
      const browser: Browser = started.browser
      const prefixed = await startApp({ prefix: '/social', mail: { signInNotice: false } }, sharing(app))
      const context = await browser.newContext({
        javaScriptEnabled: false,
        viewport: { width: 390, height: 800 },
        colorScheme,
      })
      const page = await context.newPage()
      await page.goto(`${prefixed.origin}/social/reset`)
      await page.getByLabel('E-mail address').fill('ada@example.org')
      expect(await overflowOf(page)).toBe(0)
      expect((await lightnessOf(page)) > 128).toBe(colorScheme === 'light')
      await page.getByRole('button', { name: 'Send link' }).click()
      await page.getByRole('heading', { name: 'Check your inbox' }).waitFor()
      await page.goto(`${prefixed.origin}/social/reset?token=${await makeToken('RESET')}`)
      await page.getByLabel('New password').fill('         ')
      await page.getByRole('button', { name: 'Set password' }).click()
      expect(await page.getByRole('alert').innerText()).toMatch(/^This must /)
      expect(await overflowOf(page)).toBe(0)
      expect((await lightnessOf(page)) > 128).toBe(colorScheme === 'light')
      const secret = `${colorScheme} password`
      await page.getByLabel('New password').fill(secret)
      await page.getByRole('button', { name: 'Set password' }).click()
      await page.getByRole('heading', { name: 'Your password has been changed' }).waitFor()
      expect(outcomeOf(await signIn(app, 'ada', secret))).toBe('DONE')
      await context.close()
      await prefixed.close()
    },
  )
})
