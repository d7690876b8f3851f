import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { follows } from '../../../src/features/base/relations.ts'
import type { Person, TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { overflowOf, withBrowser } from '../../support/browser/watched-page.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

describe.skipIf(chromiumPath === undefined)('who sees a post, in a browser', () => {
  const started = withBrowser()
  let app: TestApp
  let browser: Browser
  let robin: Person
  beforeAll(async () => {
    ;({ app, browser } = started)
    robin = await app.person('robin')
  })

  const open = (person: Person, hash = '') => openTimeline(browser, app.origin, person, hash)
  const setPrivate = (person: Person, isPrivate = true) =>
    mutate(app, person, 'updateProfile', { isPrivate }, 'viewer { isPrivate }')
  const sent = async (content: string) =>
    (await app.database.write.prisma.publication.findFirstOrThrow({ where: { content } })).audience

  test('stands beside each post that is not for everybody, and a lock beside names of private accounts', async () => {
    const wren = await app.person('wren')
    await setRelation(app, robin, follows, wren.id)
    const root = await publish(app, wren, { content: 'For all' })
    await publish(app, wren, { content: 'To @robin', audience: 'ADDRESSED', parent: root })
    await publish(app, wren, { content: 'For followers', audience: 'FOLLOWERS' })
    await setPrivate(wren)
    const { page, post, complaints } = await open(robin, `#/post/${root}`)
    const header = (text: string) => page.locator(`article:has(> p:has-text("${text}")) > header`)
    await post('For all').waitFor()
    await header('To @robin').getByText('Addressed', { exact: true }).waitFor()
    expect(await header('For all').locator('.audience').count()).toBe(0)
    await header('For all')
      .getByRole('link', { name: /Private account @wren/ })
      .waitFor()
    await page.goto(`${app.origin}/timeline#/@wren`)
    await header('For followers').getByText('Followers', { exact: true }).waitFor()
    await page.getByRole('heading', { name: /Private account/ }).waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('is everybody by default, and can be chosen with the keyboard alone', async () => {
    const { page, post, complaints } = await open(robin, '#/new')
    const form = page.locator('#head form')
    const audience = form.getByRole('combobox', { name: 'Audience' })
    await form.getByRole('textbox').fill('By default')
    expect(await audience.locator('option').allInnerTexts()).toEqual([
      'Everybody',
      'Followers',
      'Addressed: whom you mention',
    ])
    await form.getByRole('button').click()
    await post('By default').waitFor()
    expect(await sent('By default')).toBe('EVERYBODY')
    await form.getByRole('textbox').fill('Among us')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Fol')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await post('Among us').getByText('Followers', { exact: true }).waitFor()
    expect(await sent('Among us')).toBe('FOLLOWERS')
    expect(await audience.locator(':checked').innerText()).toBe('Everybody')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('of a reply is not wider than that of its parent, and stays chosen in a draft', async () => {
    const dunnock = await app.person('dunnock')
    const root = await publish(app, dunnock, { content: 'A secret', audience: 'FOLLOWERS' })
    const whisper = await publish(app, dunnock, { content: 'A whisper', parent: root, audience: 'ADDRESSED' })
    const { page, post, complaints } = await open(dunnock, `#/post/${root}`)
    await post('A secret').waitFor()
    const below = (uuid: string) => page.locator(`[id="${uuid}"]`)
    const form = (uuid: string) => below(uuid).locator(':scope > form')
    const reply = (uuid: string) => below(uuid).locator('> footer').getByRole('button', { name: 'Reply' })
    const offered = (uuid: string) => form(uuid).locator('option').allInnerTexts()
    expect(await offered(root)).toEqual(['Followers, like this post', 'Addressed: whom you answer and mention'])
    expect(await offered(whisper)).toEqual(['Addressed, like this post'])
    await page.setViewportSize({ width: 390, height: 740 })
    await reply(root).click()
    // An article hides what does not fit.
    expect(await page.evaluate('document.querySelector("article").scrollWidth')).toBeLessThan(390)
    await form(root).getByRole('textbox').fill('Only to you')
    await form(root).getByRole('combobox').selectOption('Addressed: whom you answer and mention')
    await page.keyboard.press('Escape')
    await reply(root).click()
    await form(root).getByRole('button').click()
    await post('Only to you').waitFor()
    expect(await sent('Only to you')).toBe('ADDRESSED')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('that the server refuses is an error at its field, which keeps the draft', async () => {
    const { page } = await open(robin)
    await page.route('**/graphql', (route) => {
      if (!route.request().postData()?.includes('mutation SendPost')) return route.continue()
      const wrong = [{ field: 'audience', message: 'must not be wider than that of the parent' }]
      const error = { message: 'Too wide', extensions: { code: 'VALIDATION_FAILED', errors: wrong } }
      return route.fulfill({ json: { errors: [error] } })
    })
    const form = page.locator('#head form')
    await form.getByRole('textbox').fill('Draft')
    await form.getByRole('combobox').selectOption('Followers')
    await form.getByRole('button').click()
    await form.locator('select + [role="alert"]').filter({ hasText: 'Too wide' }).waitFor()
    expect(await form.getByRole('textbox').inputValue()).toBe('Draft')
    expect(await form.locator(':checked').innerText()).toBe('Followers')
    await page.unroute('**/graphql')
    await form.getByRole('button').click()
    await page.locator('#list article', { hasText: 'Draft' }).waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.context().close()
  })

  test('is by default the followers of a private account, which its owner makes so and opens again', async () => {
    const heron = await app.person('heron')
    const { page, post, complaints } = await open(heron, '#/@heron')
    await page.setViewportSize({ width: 390, height: 740 })
    await page.getByRole('button', { name: 'Make private…' }).click()
    await page.getByRole('button', { name: 'Make private', exact: true }).click()
    await page.getByRole('heading', { name: /Private account/ }).waitFor()
    await page.goto(`${app.origin}/timeline#/`)
    const form = page.locator('#head form')
    const offered = ['Followers', 'Addressed: whom you mention', 'Everybody, once your account is open']
    await expect.poll(() => form.locator('option').allInnerTexts()).toEqual(offered)
    await form.getByRole('textbox').fill('Unseen')
    await form.getByRole('button').click()
    await post('Unseen').getByText('Followers', { exact: true }).waitFor()
    expect(await sent('Unseen')).toBe('FOLLOWERS')
    expect(await overflowOf(page)).toBe(0)
    await page.goto(`${app.origin}/timeline#/@heron`)
    await page.getByRole('button', { name: 'Open the account…' }).click()
    expect(await overflowOf(page)).toBe(0)
    await page.getByRole('button', { name: 'Open the account', exact: true }).click()
    await page.getByRole('button', { name: 'Make private…' }).waitFor()
    expect(await page.getByRole('heading', { name: /Private account/ }).count()).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('can change while it is shown: what the reader no longer sees disappears', async () => {
    const siskin = await app.person('siskin')
    const reader = await app.person('linnet')
    const root = await publish(app, siskin, { content: 'Open for now' })
    const answer = await publish(app, reader, { content: 'An answer of mine', parent: root })
    await publish(app, siskin, { content: 'To the reader', parent: answer })
    const { page, post, complaints } = await open(reader, `#/post/${root}`)
    await post('To the reader').waitFor()
    await setPrivate(siskin)
    await expect
      .poll(() => page.locator('#list article > p').allInnerTexts())
      .toEqual(['Hidden', 'An answer of mine', 'To the reader'])
    await setRelation(app, reader, follows, siskin.id)
    await mutate(app, siskin, 'answerFollowRequest', { uuid: reader.id, accepted: true }, 'user { uuid }')
    await page.goto(`${app.origin}/timeline#/`)
    await post('Open for now').waitFor()
    await mutate(app, siskin, 'removeFollower', { uuid: reader.id }, 'user { uuid }')
    await expect.poll(() => page.locator('article', { hasText: 'Open for now' }).count()).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
