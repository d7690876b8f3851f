import { afterAll, beforeAll, expect, test } from 'vitest'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { addSecondFactor, codeOf, type Factor } from '../../support/graphql/second-factor.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, type Loaded, OAuthBrowser, problemOf, scopesOffered } from '../../support/oauth/browser.ts'
import { authorize, fixedClient, personWithPassword, redirectUri } from '../../support/oauth/client.ts'

let app: TestApp
let client: string
beforeAll(async () => {
  app = await startApp()
  client = await fixedClient(app, await app.person())
})
afterAll(() => app.close())

async function protectedPerson(username: string): Promise<Person & Factor> {
  const person = await personWithPassword(app, username)
  return { ...person, ...(await addSecondFactor(app, person)) }
}

const page = () => `${app.origin}/oauth/second-factor`
const secretIn = ({ text }: Loaded) => /name="secret" value="([A-Z2-7]{32})"/.exec(text)?.[1] ?? ''
const codesIn = ({ text }: Loaded) =>
  [...text.matchAll(/<li><code>([a-z2-9-]{19})<\/code>/g)].map(([, code = '']) => code)

test('an application connects after the password and a code', async () => {
  const { secret, recoveryCodes } = await protectedPerson('robin')
  const { browser, end } = await authorize(app, client, 'robin')
  expect([headingOf(end), end.status]).toEqual(['Enter a code', 200])
  expect(end.text).not.toContain(password)

  const wrong = await browser.submit(end, { code: '12345' })
  expect([headingOf(wrong), wrong.status]).toEqual(['Enter a code', 422])
  expect(problemOf(wrong)).toBe('The code is wrong or was already used.')
  const consent = await browser.submit(wrong, { code: codeOf(secret) })
  const back = await browser.submit(consent, { answer: 'allow', scope: scopesOffered(consent) })
  expect(back.url).toMatch(new RegExp(`^${redirectUri}\\?code=`))

  const other = await authorize(app, client, 'robin')
  const next = await other.browser.submit(other.end, { code: recoveryCodes[0] ?? '' })
  expect(headingOf(next)).toMatch(/^Connect /)
})

test('who takes too long signs in again', async () => {
  const { id, secret } = await protectedPerson('slow')
  const { browser, end } = await authorize(app, client, 'slow')
  await app.database.write.prisma.signInChallenge.deleteMany({ where: { userId: id } })
  const late = await browser.submit(end, { code: codeOf(secret) })
  expect([headingOf(late), late.status]).toEqual(['Sign in', 422])
  expect(problemOf(late)).toBe('This took too long. Sign in again.')
  const again = await browser.submit(late, { username: 'slow', password })
  expect(headingOf(await browser.submit(again, { code: codeOf(secret) }))).toMatch(/^Connect /)
})

test('people set up a second factor, sign in with it, renew its codes and remove it, without scripts', async () => {
  const person = await personWithPassword(app, 'wren')
  const browser = new OAuthBrowser(app.origin)
  const setup = await browser.submit(await browser.open(page()), { username: 'wren', password })
  expect(headingOf(setup)).toBe('Set up a second factor')
  const secret = secretIn(setup)
  expect(setup.text).toContain(`href="otpauth://totp/Rookery:wren?issuer=Rookery&#38;secret=${secret}`)
  expect(setup.text).toMatch(/<svg width="240" height="240" role="img" aria-label="QR code" /)

  const refused = await browser.submit(setup, { code: '12345', password })
  expect([refused.status, secretIn(refused)]).toEqual([422, secret])
  const unproved = await browser.submit(refused, { code: codeOf(secret), password: 'not this one' })
  expect([problemOf(unproved), secretIn(unproved)]).toEqual(['password: This is wrong.', secret])
  const codes = codesIn(await browser.submit(unproved, { code: codeOf(secret, -1), password }))
  expect(codes).toHaveLength(10)

  const elsewhere = new OAuthBrowser(app.origin)
  const asked = await elsewhere.submit(await elsewhere.open(page()), { username: '@Wren', password })
  expect(headingOf(asked)).toBe('Enter a code')
  const shown = await elsewhere.submit(asked, { code: codes[0] ?? '' })
  expect(headingOf(shown)).toBe('Your second factor')
  expect(shown.text).toContain('Make new recovery codes (9 left)')

  const kept = await elsewhere.submit(shown, { code: codes[0] ?? '', password, action: 'remove' })
  expect(problemOf(kept)).toBe('code: This is wrong or was already used.')
  const renewed = await elsewhere.submit(kept, { code: codes[1] ?? '', password, action: 'renew' })
  expect(headingOf(renewed)).toBe('Keep these recovery codes')
  expect(codesIn(renewed)).toHaveLength(10)
  const ended = await elsewhere.submit(kept, { code: codesIn(renewed)[0] ?? '', password, action: 'remove' })
  expect(headingOf(ended)).toBe('Set up a second factor')
  expect(await app.database.write.prisma.secondFactor.count({ where: { userId: person.id } })).toBe(0)
})

test('a page without a session, with a key that is none, and of another site changes nothing', async () => {
  const person = await personWithPassword(app, 'stray')
  const strange = { action: 'set', secret: '<script>', code: '000000', password }
  const browser = new OAuthBrowser(app.origin)
  const post = (headers: Record<string, string> = {}) =>
    browser.open(page(), {
      method: 'POST',
      body: new URLSearchParams(strange),
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
    })
  expect(headingOf(await post())).toBe('Sign in')
  await browser.submit(await browser.open(page()), { username: 'stray', password })
  const answer = await post()
  expect([answer.status, problemOf(answer)]).toEqual([422, 'This page is incomplete. Scan the new code.'])
  expect(secretIn(answer)).toMatch(/./)
  expect(answer.text).not.toContain('<script>')
  expect((await post({ 'sec-fetch-site': 'cross-site' })).status).toBe(403)
  expect(await app.database.write.prisma.secondFactor.count({ where: { userId: person.id } })).toBe(0)
})

test('where the operator has set no key, the page says so', async () => {
  const without = await startApp({ authenticators: undefined }, sharing(app))
  await personWithPassword(app, 'keyless')
  const browser = new OAuthBrowser(without.origin)
  const shown = await browser.submit(await browser.open(`${without.origin}/oauth/second-factor`), {
    username: 'keyless',
    password,
  })
  expect(headingOf(shown)).toBe('No second factor')
  await without.close()
})
