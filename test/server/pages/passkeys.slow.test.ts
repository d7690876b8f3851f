import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { watchedPage, withBrowser } from '../../support/browser/watched-page.ts'
import { addSecondFactor } from '../../support/graphql/second-factor.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { personWithPassword } from '../../support/oauth/client.ts'

/** Plugs a security key into the computer of a page. */
async function plugIn(page: Page) {
  const session = await page.context().newCDPSession(page)
  await session.send('WebAuthn.enable')
  const options = { protocol: 'ctap2', transport: 'usb', hasUserVerification: true, isUserVerified: true } as const
  const { authenticatorId } = await session.send('WebAuthn.addVirtualAuthenticator', { options })
  return {
    keys: async () => (await session.send('WebAuthn.getCredentials', { authenticatorId })).credentials,
  }
}

describe.skipIf(chromiumPath === undefined)('in a browser', () => {
  const started = withBrowser({ signInLimits: undefined })

  test('people add a passkey, sign in with it and remove it, by keyboard', async () => {
    const { app, browser } = started
    const origin = app.origin.replace('127.0.0.1', 'localhost')
    const person = await personWithPassword(app, 'robin')
    const [first = '', second = '', third = '', fourth = ''] = (await addSecondFactor(app, person)).recoveryCodes
    const { page, complaints, elsewhere } = await watchedPage(await browser.newContext(), origin)
    const securityKey = await plugIn(page)
    const heading = (name: string) => page.getByRole('heading', { name, level: 1 }).waitFor()
    const signIn = async () => {
      await page.goto(`${origin}/oauth/second-factor`)
      await page.getByLabel('Username').fill('robin')
      await page.getByLabel('Password').fill(password)
      await page.keyboard.press('Enter')
    }
    const confirm = async (code: string) => {
      await page.getByLabel('Code', { exact: true }).fill(code)
      await page.getByLabel('Password').fill(password)
    }
    const beginPasskey = async (code: string, name: string) => {
      await page.getByLabel('Add a passkey').check()
      await page.getByLabel('Name of the new passkey').fill(name)
      await confirm(code)
      await page.keyboard.press('Enter')
      await heading('Add a passkey')
    }

    await signIn()
    await heading('Enter a code')
    await page.keyboard.type(first)
    await page.keyboard.press('Enter')
    await heading('Your second factor')
    await beginPasskey(second, 'Security <key>')
    await page.keyboard.press('Enter')
    await heading('Your second factor')
    await page.getByText('Security <key>').waitFor()
    expect(await securityKey.keys()).toMatchObject([{ rpId: 'localhost' }])

    await beginPasskey(third, 'The same')
    await page.keyboard.press('Enter')
    await page.getByRole('alert').getByText('This device already has a passkey of your account.').waitFor()

    await page.context().clearCookies()
    await signIn()
    await heading('Confirm that it is you')
    await page.keyboard.press('Enter')
    await heading('Your second factor')
    await page.getByText('last used').waitFor()

    // Enter alone does nothing before somebody has chosen what.
    await confirm(fourth)
    await page.keyboard.press('Enter')
    expect(await page.getByLabel('Add a passkey').evaluate((it) => it === document.activeElement)).toBe(true)
    await page.getByLabel('Remove the passkey Security <key>').check()
    await confirm(fourth)
    await page.keyboard.press('Enter')
    await page.getByText('Security <key>').waitFor({ state: 'detached' })
    expect(await app.database.write.prisma.passkey.count()).toBe(0)
    expect({ complaints, elsewhere }).toEqual({ complaints: [], elsewhere: [] })
  })

  test('who has a passkey also signs in with a code, even without scripts', async () => {
    const { app, browser } = started
    const origin = app.origin.replace('127.0.0.1', 'localhost')
    const person = await personWithPassword(app, 'wren')
    const { recoveryCodes } = await addSecondFactor(app, person)
    const passkey = { id: Uint8Array.of(1), publicKey: Uint8Array.of(1), counter: 0, transports: [], name: 'Key' }
    await app.database.write.prisma.passkey.create({ data: { ...passkey, userId: person.id } })
    for (const javaScriptEnabled of [true, false]) {
      const { page } = await watchedPage(await browser.newContext({ javaScriptEnabled }), origin)
      await page.goto(`${origin}/oauth/second-factor`)
      await page.getByLabel('Username').fill('wren')
      await page.getByLabel('Password').fill(password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Confirm that it is you' }).waitFor()
      const use = page.getByRole('button', { name: 'Use a passkey' })
      if (javaScriptEnabled) await use.waitFor()
      else expect(await use.isVisible()).toBe(false)
      await page.getByLabel('Code').fill(recoveryCodes[javaScriptEnabled ? 0 : 1] ?? '')
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Your second factor' }).waitFor()
    }
  })
})
