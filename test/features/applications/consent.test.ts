import { afterAll, beforeAll, expect, test } from 'vitest'
import { scopeFacts, scopes } from '../../../src/features/base/scopes.ts'
import { startApp, type TestApp } from '../../support/app.ts'
import { headingOf, OAuthBrowser, problemOf, scopesOffered } from '../../support/oauth/browser.ts'
import { answerPages, authorize, fixedClient, personWithPassword, redirectUri } from '../../support/oauth/client.ts'

let app: TestApp
let clientId: string
beforeAll(async () => {
  app = await startApp()
  const robin = await personWithPassword(app, 'robin')
  await app.token(robin, ['moderation.manage'])
  clientId = await fixedClient(app, robin)
})
afterAll(() => app.close())

test('consent shows all scopes in at most six groups, and ticks none that deletes or is about the account', async () => {
  const { pages } = await authorize(app, clientId, 'robin', { scope: scopes.join(' '), answer: 'deny' })
  const page = pages.at(-1) ?? expect.fail('no page')
  expect(scopesOffered(page).toSorted()).toEqual(scopes.toSorted())
  expect(page.text.match(/<details>/g)).toHaveLength(5)
  expect(page.text.match(/<summary>(.*?)<\/summary>/g)?.join()).toContain('Publish and edit')
  const ticked = [...page.text.matchAll(/value="([\w.]+)" checked/g)].map(([, scope]) => scope)
  const sensitive = ['post.delete', 'reply.delete', 'account.manage', 'account.export', 'moderation.manage']
  expect(ticked.toSorted()).toEqual(scopes.filter((scope) => !sensitive.includes(scope)).toSorted())
  expect(scopes.filter((scope) => scopeFacts[scope].startsCleared).toSorted()).toEqual(sensitive.toSorted())
})

test('whoever allows nothing is asked again', async () => {
  const { browser, end } = await authorize(app, clientId, 'robin', { scope: 'account.export', chosen: [] })
  expect([end.status, problemOf(end)]).toEqual([422, 'Select what the application is allowed to do, or deny.'])
  const answered = await browser.submit(end, { answer: 'allow', scope: 'account.export' })
  expect(new URL(answered.url).searchParams.has('code')).toBe(true)
})

test('an account that does not moderate is told that it cannot allow that, and may switch to another', async () => {
  await personWithPassword(app, 'sam')
  const told = 'your account <strong>@sam</strong> is no moderator'
  const more = { scope: 'post.get moderation.manage' }
  const { browser, pages, exchange } = await authorize(app, clientId, 'sam', more)
  expect([pages.at(-1)?.text, pages.flatMap(scopesOffered)]).toEqual([expect.stringContaining(told), ['post.get']])
  expect((await exchange()).scope).toBe('post.get')
  const redirect = 'https://app.example/back'
  const web = await fixedClient(app, await app.person(), { redirectUris: [redirect] })
  for (const client of [clientId, web]) {
    const only = { browser, scope: 'moderation.manage', answer: 'deny', redirect } as const
    const asked = await authorize(app, client, 'sam', client === web ? only : { ...only, redirect: redirectUri })
    const page = asked.pages.at(-1) ?? expect.fail('no page')
    expect([page.text, scopesOffered(page)]).toEqual([expect.stringContaining(told), []])
    expect(page.text).not.toContain('value="allow"')
    expect(page.text).toContain('value="switch"')
    expect(new URL(asked.end.url).searchParams.get('error')).toBe('access_denied')
  }
  const moderator = await authorize(app, clientId, 'robin', { ...more, answer: 'deny' })
  expect(moderator.pages.at(-1)?.text).not.toContain('no moderator')
})

test('the pages of this server ask for no consent, and get what they ask for and the account may have', async () => {
  const verifier = 'x'.repeat(43)
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  const own = { client_id: 'rookery-web', redirect_uri: `${app.origin}/oauth/callback` }
  const tokenFor = async (username: string, scope: string) => {
    const asked = { ...own, scope, response_type: 'code', code_challenge_method: 'S256' }
    const code_challenge = Buffer.from(digest).toString('base64url')
    const url = `${app.origin}/oauth/authorize?${new URLSearchParams({ ...asked, code_challenge })}`
    const { pages, end } = await answerPages(new OAuthBrowser(app.origin), url, username)
    expect(pages.map(headingOf)).toEqual(['Sign in'])
    const code = new URL(end.url).searchParams.get('code') ?? ''
    const body = new URLSearchParams({ ...own, grant_type: 'authorization_code', code, code_verifier: verifier })
    const response = await fetch(`${app.origin}/oauth/token`, { method: 'POST', body })
    return Object(await response.json())
      .scope?.split(' ')
      .toSorted()
  }
  await personWithPassword(app, 'wren')
  expect(await tokenFor('wren', 'post.get account.manage')).toEqual(['account.manage', 'post.get'])
  const common = scopes.filter((scope) => scope !== 'moderation.manage').toSorted()
  expect(await tokenFor('wren', scopes.join(' '))).toEqual(common)
  expect(await tokenFor('robin', scopes.join(' '))).toEqual(scopes.toSorted())
})
