import { readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { scopes } from '../../../src/features/base/scopes.ts'
import { answerAppeal, setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { admitting, sharing, startApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { withDemo } from '../../support/browser/demo.ts'
import { overflowOf, watchedPage } from '../../support/browser/watched-page.ts'
import { codeOf } from '../../support/graphql/second-factor.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { fixedClient, personWithPassword } from '../../support/oauth/client.ts'

const axe = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8')

/** What axe finds on a page, each with the first element. GraphiQL and Swagger UI themselves are left out, but not what is around them. */
async function problemsOf(page: Page): Promise<string[]> {
  await page.evaluate(axe)
  return page.evaluate(`axe.run({ exclude: ['#root', '#docs'] }).then(({ violations }) =>
    violations.map(({ id, nodes }) => id + ' (' + nodes.length + '): ' + nodes[0].html.slice(0, 200)))`)
}

/** Checks a small page on a phone and on a desktop, in both colours. */
async function checkSmall(page: Page): Promise<void> {
  for (const width of [375, 1280]) {
    await page.setViewportSize({ width, height: 800 })
    expect(await overflowOf(page)).toBe(0)
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect({ width, colorScheme, found: await problemsOf(page) }).toEqual({ width, colorScheme, found: [] })
    }
  }
}

/** Each page, and what it shows when it is ready. */
const pages = [
  ['/', '#answer .name'],
  ['/timeline', '#list article footer'],
  ['/timeline#/@ada', '#head *'],
  ['/timeline#/notifications', '#list article'],
  ['/timeline#/requests', '#none:not(:empty)'],
  ['/timeline#/search/a', '#list article footer'],
  ['/timeline#/bookmarks', '#none:not(:empty)'],
  ['/api/v1/docs', '.live-responses-table'],
  ['/graphql', '.graphiql-response'],
  [`/verify?token=rookery_${'x'.repeat(43)}`, 'form'],
  [`/reset?token=rookery_${'x'.repeat(43)}`, 'form'],
  ['/reset', 'form'],
  ['/oauth/connections', 'form'],
  ['/oauth/second-factor', 'form'],
  ['/sign-up', 'form'],
  ['/sign-up?invitation=x', 'form'],
  ['/appeal', 'h1'],
  ['/oauth/callback', '#said:not(:empty)'],
  ['/nothing-here', 'h1'],
  ['/api/v1/user', '#curl'],
] as const

describe.skipIf(chromiumPath === undefined)('axe finds nothing', () => {
  const started = withDemo()

  test.each(pages)('at %s in both widths and colours', async (path, ready) => {
    const { page } = await watchedPage(started.browser, started.app.origin)
    await page.goto(started.app.origin + path)
    await page.locator(ready).first().waitFor()
    for (const width of [390, 1280]) {
      await page.setViewportSize({ width, height: 800 })
      for (const colorScheme of ['light', 'dark'] as const) {
        await page.emulateMedia({ colorScheme })
        expect({ width, colorScheme, found: await problemsOf(page) }).toEqual({ width, colorScheme, found: [] })
      }
    }
    await page.close()
  })

  test('where an account allows scopes, which open by keyboard', async () => {
    const { page } = await watchedPage(started.browser, started.app.origin)
    const { origin } = started.app
    const person = await personWithPassword(started.app)
    const redirectUri = 'https://app.example/callback'
    const asked = {
      client_id: await fixedClient(started.app, person, { redirectUris: [redirectUri] }),
      redirect_uri: redirectUri,
      response_type: 'code',
      scope: scopes.join(' '),
    }
    const challenge = { code_challenge: 'x'.repeat(43), code_challenge_method: 'S256' }
    await page.goto(`${origin}/oauth/authorize?${new URLSearchParams({ ...asked, ...challenge })}`)
    await page.getByLabel('Username').fill(person.username)
    await page.getByLabel('Password').fill(password)
    await page.keyboard.press('Enter')
    const reading = page.getByLabel('Read posts')
    expect(await reading.isVisible()).toBe(false)
    await page.locator('summary').first().focus()
    await page.keyboard.press('Enter')
    const [label, box] = [await page.locator('label', { has: reading }).boundingBox(), await reading.boundingBox()]
    expect(label?.height).toBeLessThan(40)
    expect(box?.x).toBeLessThan((label?.x ?? 0) + 30)
    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    expect(await reading.isChecked()).toBe(false)
    await checkSmall(page)
    await page.close()
  })

  test('where somebody sets up a second factor with a passkey and signs in with it, by keyboard', async () => {
    // Addresses have no passkeys.
    const origin = started.app.origin.replace('127.0.0.1', 'localhost')
    const { page } = await watchedPage(started.browser, origin)
    const { id: userId, username } = await personWithPassword(started.app)
    const signIn = async () => {
      await page.goto(`${origin}/oauth/second-factor`)
      await page.getByLabel('Username').fill(username)
      await page.getByLabel('Password').fill(password)
      await page.keyboard.press('Enter')
    }
    const check = async (heading: string) => {
      await page.getByRole('heading', { name: heading }).waitFor()
      await checkSmall(page)
    }
    await signIn()
    await check('Set up a second factor')
    const secret = await page.locator('input[name=secret]').inputValue()
    expect(await page.getByLabel('Code', { exact: true }).evaluate((it) => it === document.activeElement)).toBe(true)
    await page.keyboard.type(codeOf(secret, -1))
    await page.keyboard.press('Tab')
    await page.keyboard.type(password)
    await page.keyboard.press('Enter')
    await check('Keep these recovery codes')
    await page.context().clearCookies()
    await signIn()
    await check('Enter a code')
    await page.keyboard.type(codeOf(secret))
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Your second factor' }).waitFor()
    await page.getByLabel('Add a passkey').focus()
    await page.keyboard.press('Space')
    for (const text of ['Security key', codeOf(secret, 1), password]) {
      await page.keyboard.press('Tab')
      await page.keyboard.type(text)
    }
    await page.keyboard.press('Enter')
    await check('Add a passkey')
    const passkey = {
      id: Uint8Array.of(1),
      publicKey: Uint8Array.of(2),
      counter: 0,
      transports: [],
      name: 'Security key',
    }
    await started.app.database.write.prisma.passkey.create({ data: { ...passkey, userId } })
    await page.getByRole('link', { name: 'Cancel' }).press('Enter')
    await check('Your second factor')
    await page.context().clearCookies()
    await signIn()
    await check('Confirm that it is you')
    const button = page.getByRole('button', { name: 'Use a passkey' })
    expect(await button.evaluate((it) => it === document.activeElement)).toBe(true)
    await page.close()
  })

  test('where somebody says why they want to join', async () => {
    const approving = await startApp(admitting({ signUp: 'approval' }), sharing(started.app))
    const { page } = await watchedPage(started.browser, approving.origin)
    await page.goto(`${approving.origin}/sign-up`)
    await page.getByLabel('Why do you want to join?').waitFor()
    await checkSmall(page)
    await page.close()
    await approving.close()
  })

  test('where somebody who is suspended appeals, and reads the answer', async () => {
    const { page } = await watchedPage(started.browser, started.app.origin)
    const { database, origin } = started.app
    const { id, username } = await personWithPassword(started.app)
    await setSuspended(database, 'operator', { uuid: id, reason: 'Spam' }, true)
    const signIn = async (expected: string) => {
      await page.goto(`${origin}/oauth/connections`)
      await page.getByLabel('Username').fill(username)
      await page.getByLabel('Password').fill(password)
      await page.keyboard.press('Enter')
      await page.getByText(expected).waitFor()
      await checkSmall(page)
    }
    await signIn('Spam')
    await page.getByLabel('Why should the suspension end?').fill('It was not me.')
    await page.getByRole('button', { name: 'Appeal' }).click()
    await page.getByText('No moderator has answered yet.').waitFor()
    await checkSmall(page)
    const { id: uuid } = await database.write.prisma.appeal.findFirstOrThrow({ where: { userId: id } })
    await answerAppeal(database, 'operator', { uuid, accept: false, answer: 'It was.' }, false)
    await signIn('It was.')
    await page.close()
  })

  test.each([
    ['the menu of a post', '[aria-label="Actions"]', '.menu:popover-open'],
    ['the form of a reply', '[aria-label="Reply"]', 'article form'],
    ['the keys', '#show-keys', '#keys'],
    ['the menu with the token', '#who', '#menu:popover-open'],
  ])('in %s', async (_, button, opened) => {
    const { page } = await watchedPage(started.browser, started.app.origin)
    await page.goto(`${started.app.origin}/timeline#/public`)
    await page.locator(button).first().click()
    await page.locator(opened).first().waitFor()
    expect(await problemsOf(page)).toEqual([])
    await page.close()
  })
})
