import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import type { Admission } from '../../../src/features/accounts/admission.ts'
import { createInvitationOfOperator } from '../../../src/features/invitations/invitations.ts'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { admitting, sharing, startApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { overflowOf, watchedPage, withBrowser } from '../../support/browser/watched-page.ts'
import { password } from '../../support/graphql/sign-in.ts'
import { personWithPassword } from '../../support/oauth/client.ts'

describe.skipIf(chromiumPath === undefined)('in a browser without scripts', () => {
  const started = withBrowser({ contact: 'help@social.example', signInLimits: undefined })

  /** Opens a page of a server that admits these, does something there, and closes both. */
  async function visit(signUp: Admission['signUp'], path: string, work: (page: Page) => Promise<unknown>) {
    const settings = { ...admitting({ signUp }), contact: 'help@social.example', signInLimits: undefined }
    const app = await startApp(settings, sharing(started.app))
    const context = await started.browser.newContext({
      javaScriptEnabled: false,
      viewport: { width: 375, height: 700 },
    })
    const { page, complaints, elsewhere } = await watchedPage(context, app.origin)
    await page.goto(app.origin + path)
    await work(page)
    // The console names the status of a page that refuses something.
    const faults = complaints.filter((complaint) => !complaint.includes('status of 403'))
    expect({ faults, elsewhere }).toEqual({ faults: [], elsewhere: [] })
    await context.close()
    await app.close()
  }

  /** Fills in the first fields of a page, with the keyboard. */
  async function type(page: Page, ...texts: readonly string[]) {
    await page.locator('input:focus').waitFor()
    for (const text of texts) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
  }
  const enter = (page: Page, username: string) => type(page, username, `${username}@example.org`, password)
  const welcome = (page: Page, username: string) =>
    page.getByRole('heading', { name: `Welcome, @${username}` }).waitFor()
  const invitationLink = async () => {
    const { code } = await createInvitationOfOperator(started.app.database, {})
    return `/sign-up?invitation=${code}`
  }

  test('anybody signs up from the start page, where that is open', async () => {
    await visit('open', '/', async (page) => {
      await page.getByRole('link', { name: 'Sign up' }).click()
      await enter(page, 'ada')
      await page.keyboard.press('Enter')
      await welcome(page, 'ada')
      await page.getByRole('link', { name: 'Open the timeline' }).click()
      expect(new URL(page.url()).pathname).toBe('/timeline')
    })
  })

  test('people say why they want to join, where moderators approve, or enter an invitation', async () => {
    await visit('approval', '/sign-up', async (page) => {
      await enter(page, 'weaver')
      await page.keyboard.type('I weave.')
      await page.getByRole('button', { name: 'Sign up' }).click()
      await welcome(page, 'weaver')
      await page.getByText('A moderator now decides about your account.').waitFor()
    })
    await visit('approval', '/sign-up', async (page) => {
      await enter(page, 'visitor')
      await page.keyboard.press('Tab')
      await page.keyboard.type(`https://social.example${await invitationLink()}`)
      await page.keyboard.press('Enter')
      await welcome(page, 'visitor')
      expect(await page.getByText('moderator').count()).toBe(0)
    })
  })

  test('invited people sign up with their link, and nobody else', async () => {
    await visit('invitation', '/sign-up', async (page) => {
      await enter(page, 'uninvited')
      await page.keyboard.press('Enter')
      expect(await page.getByRole('heading').innerText()).toBe('Sign up')
      expect(await page.getByLabel('Invitation').evaluate((field) => field === document.activeElement)).toBe(true)
    })
    await visit('invitation', await invitationLink(), async (page) => {
      await enter(page, 'invited')
      await page.keyboard.press('Enter')
      await welcome(page, 'invited')
    })
    const found = await started.app.database.write.prisma.user.findMany({
      where: { username: { endsWith: 'invited' } },
    })
    expect(found.map(({ username }) => username)).toEqual(['invited'])
  })

  test('nobody signs up where that is closed, and the page leads to the operator', async () => {
    await visit('closed', '/sign-up', async (page) => {
      await page.getByRole('heading', { name: 'Sign-up is closed' }).waitFor()
      expect(await page.getByRole('button').count()).toBe(0)
      const operator = page.getByRole('link', { name: 'its operator' })
      expect(await operator.getAttribute('href')).toBe('mailto:help@social.example')
    })
  })

  test('a suspended person signs in, reads why, and appeals, by keyboard', async () => {
    const { id, username } = await personWithPassword(started.app)
    const reason = `Spam: ${'x'.repeat(200)}`
    await setSuspended(started.app.database, 'operator', { uuid: id, reason }, true)
    await visit('open', '/oauth/connections', async (page) => {
      await type(page, username, password)
      await page.keyboard.press('Enter')
      await page.getByRole('heading', { name: 'Your account is suspended' }).waitFor()
      await page.getByText(reason).waitFor()
      expect(await overflowOf(page)).toBe(0)
      const names: string[] = []
      for (const text of ['', '', 'It was not me.']) {
        await page.keyboard.press('Tab')
        await page.keyboard.type(text)
        names.push(await page.evaluate('document.activeElement.textContent || document.activeElement.name'))
      }
      expect(names).toEqual(['Rookery', 'help@social.example', 'text'])
      await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByText('No moderator has answered yet.').waitFor()
      await page.getByText('It was not me.').waitFor()
    })
  })
})
