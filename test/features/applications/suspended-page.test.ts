import { afterAll, beforeAll, expect, test } from 'vitest'
import { revokeAllOf } from '../../../src/features/accounts/administration.ts'
import { answerAppeal, setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { type Person, sharing, startApp, type TestApp } from '../../support/app.ts'
import { addSecondFactor, codeOf } from '../../support/graphql/second-factor.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { headingOf, type Loaded, OAuthBrowser, problemOf } from '../../support/oauth/browser.ts'
import { authorize, fixedClient, personWithPassword } from '../../support/oauth/client.ts'

const heading = 'Your account is suspended'
const contact = 'moderation@social.example'

let app: TestApp
let client: string
beforeAll(async () => {
  app = await startApp({ contact, signInLimits: undefined })
  client = await fixedClient(app, await app.person())
})
afterAll(() => app.close())

const suspend = ({ id }: Person, reason = 'Spam,\n<b>again</b>') =>
  setSuspended(app.database, 'operator', { uuid: id, reason }, true)

async function suspended(): Promise<Person> {
  const person = await personWithPassword(app)
  await suspend(person)
  return person
}

/** Signs in on a page of the server. */
async function signIn({ username }: Person, path = '/oauth/connections', on = app) {
  const browser = new OAuthBrowser(on.origin)
  const page = await browser.submit(await browser.open(on.origin + path), { username, password })
  return { browser, page }
}

const sessionIn = ({ text }: Loaded) => /name="session" value="([^"]+)"/.exec(text)?.[1] ?? ''
const textOf = ({ text }: Loaded) => text.replaceAll(/<[^>]+>/g, '')
const appealsOf = ({ id }: Person) =>
  app.database.write.prisma.appeal.findMany({ where: { userId: id }, orderBy: { id: 'asc' } })
const answer = (uuid: string, accept: boolean) =>
  answerAppeal(app.database, 'operator', { uuid, accept, answer: 'We read <it>.' }, false)

test('whoever signs in on a page to an account that is suspended reads since when, why, and whom to write to', async () => {
  const person = await suspended()
  const pages = [
    (await signIn(person)).page,
    (await signIn(person, '/oauth/second-factor')).page,
    (await authorize(app, client, person.username)).end,
  ]
  for (const page of pages) {
    expect([headingOf(page), page.status, page.headers.get('cache-control')]).toEqual([heading, 403, 'no-store'])
    expect(textOf(page)).toContain(`Your account @${person.username} has been suspended since 20`)
    expect(page.text).toContain('<blockquote>Spam,\n&#60;b&#62;again&#60;/b&#62;</blockquote>')
    expect(page.text).toContain(`<a href="mailto:${contact}">${contact}</a>`)
  }
  const elsewhere = await startApp({ contact: 'https://social.example/help' }, sharing(app))
  expect((await signIn(person, undefined, elsewhere)).page.text).toContain('<a href="https://social.example/help">')
  await elsewhere.close()
  const without = await startApp({}, sharing(app))
  expect(textOf((await signIn(person, undefined, without)).page)).toContain('contact the operator of this server.')
  await without.close()
})

test.each(['/oauth/connections', '/oauth/second-factor'])(
  'the address that %s leads to after a sign-in can be reloaded',
  async (path) => {
    const { page } = await signIn(await suspended(), path)
    expect(page.url).toBe(`${app.origin}${path}/sign-in`)
    const again = await fetch(page.url, { redirect: 'manual' })
    expect([again.status, again.headers.get('location')]).toEqual([303, app.origin + path])
    const put = await fetch(page.url, { method: 'PUT' })
    expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
  },
)

test('an appeal is sent from the page, which then shows it, and later the answer', async () => {
  const person = await suspended()
  const { browser, page } = await signIn(person)
  const sent = await browser.submit(page, { text: 'It was not me.\r\n<i>Really</i>' })
  expect([headingOf(sent), sent.status]).toEqual([heading, 200])
  expect(sent.text).toContain('<blockquote>It was not me.\n&#60;i&#62;Really&#60;/i&#62;</blockquote>')
  expect(textOf(sent)).toContain('No moderator has answered yet.')
  expect(sent.text).not.toContain('<form')
  expect((await signIn(person)).page.text).not.toContain('<form')

  const [open] = await appealsOf(person)
  expect(open).toMatchObject({ text: 'It was not me.\n<i>Really</i>', state: 'OPEN' })
  await answer(open?.id ?? '', false)
  const next = await signIn(person)
  expect(next.page.text).toContain('<blockquote>We read &#60;it&#62;.</blockquote>')
  await next.browser.submit(next.page, { text: 'Please read it again.' })
  const [, second] = await appealsOf(person)
  expect(second).toMatchObject({ text: 'Please read it again.', state: 'OPEN' })

  await answer(second?.id ?? '', true)
  expect(headingOf((await signIn(person)).page)).toBe('Connected applications')
  await suspend(person)
  // What ended the first suspension has nothing to do with the second.
  expect((await signIn(person)).page.text).not.toContain('Please read it again.')
})

test('an appeal that is refused is shown again with the problem, and of several at once one is sent', async () => {
  const person = await suspended()
  const { browser, page } = await signIn(person)
  const long = `<${'x'.repeat(1_000)}`
  const refused = await browser.submit(page, { text: long })
  expect([headingOf(refused), refused.status]).toEqual([heading, 422])
  expect([problemOf(refused), refused.text]).toEqual([
    expect.stringMatching(/^text: This must /),
    expect.stringContaining('&#60;xxx'),
  ])
  expect((await browser.submit(page, { text: '' })).status).toBe(422)

  const all = await Promise.all(['a', 'b', 'c', 'd'].map((text) => browser.submit(page, { text })))
  expect(all.map(({ status }) => status).sort()).toEqual([200, 422, 422, 422])
  const second = all.find(({ status }) => status === 422)
  expect(second && problemOf(second)).toMatch(/^Your appeal is still open/)
  expect(await appealsOf(person)).toHaveLength(1)
})

test('the code of a second factor comes before the page', async () => {
  const person = await personWithPassword(app)
  const { secret } = await addSecondFactor(app, person)
  await suspend(person)
  const { browser, page } = await signIn(person)
  expect(headingOf(page)).toBe('Enter a code')
  expect(page.text).not.toContain('Spam')
  const shown = await browser.submit(page, { code: codeOf(secret) })
  expect([headingOf(shown), shown.status]).toEqual([heading, 403])
  expect(textOf(await browser.submit(shown, { text: 'Sorry' }))).toContain('No moderator has answered yet.')
})

test('the page signs nobody in, and its form can only appeal, for an hour', async () => {
  const person = await suspended()
  const { browser, page } = await signIn(person)
  expect(headingOf(await browser.open(`${app.origin}/oauth/connections`))).toBe('Sign in')
  const { prisma } = app.database.write
  const where = { userId: person.id }
  expect(await prisma.accessToken.count({ where: { ...where, name: 'Appeal' } })).toBe(0)
  const session = sessionIn(page)
  expect((await app.rest(session, 'GET', '/user')).status).toBe(401)
  const stored = await prisma.oauthRecord.findFirst({ where })
  const lifetime = (stored?.expiresAt.getTime() ?? 0) - Date.now()
  expect([lifetime > 3_500_000, lifetime <= 3_610_000]).toEqual([true, true])

  const send = async (session: string) => {
    const body = new URLSearchParams({ session, text: 'Let me in' })
    const response = await fetch(`${app.origin}/appeal`, { method: 'POST', body })
    return [response.status, /<h1>(.*)<\/h1>/.exec(await response.text())?.[1]]
  }
  const other = await personWithPassword(app)
  await addSecondFactor(app, other)
  await suspend(other)
  const [, challenge = ''] = /name="challenge" value="([^"]+)"/.exec((await signIn(other)).page.text) ?? []
  for (const wrong of [person.token, challenge, `rookery_${'x'.repeat(43)}`, '<x>', ''])
    expect(await send(wrong)).toEqual([422, 'Appeal'])
  expect([await appealsOf(person), await appealsOf(other)]).toEqual([[], []])

  await prisma.oauthRecord.updateMany({ where, data: { expiresAt: new Date() } })
  const late = await browser.submit(page, { text: 'Too\r\n<late>' })
  expect([headingOf(late), late.status]).toEqual(['Appeal', 422])
  expect(textOf(late)).toContain('This page was open for too long. Copy your text, sign in again and send it.')
  expect(late.text).toContain('<blockquote>Too\n&#60;late&#62;</blockquote>')
  expect((await browser.submit(page, { text: ' ' })).text).not.toContain('<blockquote>')
})

test('the form does nothing once the suspension has ended, or all sign-ins have', async () => {
  const person = await suspended()
  const { browser, page } = await signIn(person)
  await setSuspended(app.database, 'operator', { uuid: person.id }, false)
  expect(headingOf(await browser.submit(page, { text: 'Late' }))).toBe('Your account is not suspended')
  await suspend(person)
  await revokeAllOf(app.database, person.id)
  expect(headingOf(await browser.submit(page, { text: 'Later' }))).toBe('Appeal')
  expect(await appealsOf(person)).toEqual([])
})

test('the page of appeals leads to the page to sign in, and takes no other methods', async () => {
  const page = await fetch(`${app.origin}/appeal`)
  expect([page.status, await page.text()]).toEqual([200, expect.stringContaining('href="/oauth/connections"')])
  const put = await fetch(`${app.origin}/appeal`, { method: 'PUT' })
  expect([put.status, put.headers.get('allow')]).toEqual([405, 'GET, HEAD, POST, OPTIONS'])
})
