import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../../support/app.ts'
import { barOf } from '../../support/browser/bar.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { watchedPage, withBrowser } from '../../support/browser/watched-page.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'

describe.skipIf(chromiumPath === undefined)('on the timeline, a browser', () => {
  const started = withBrowser()
  let app: TestApp
  let browser: Browser
  let robin: Person
  let wren: Person
  beforeAll(async () => {
    ;({ app, browser } = started)
    robin = await app.person('robin')
    wren = await app.person('wren')
  })

  const open = (person: Person, hash = '') => openTimeline(browser, app.origin, person, hash)

  test('lets somebody sign up with the keyboard alone, post, and find themselves signed in on another page', async () => {
    const { page, complaints } = await watchedPage(await browser.newContext(), app.origin)
    await page.goto(`${app.origin}/timeline`)
    await page.getByRole('button', { name: 'Sign in' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('link', { name: 'Sign up' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Sign up' }).waitFor()
    for (const text of [' @dipper ', 'dipper@example.org', 'correct horse battery']) {
      await page.keyboard.type(text)
      await page.keyboard.press('Tab')
    }
    await page.keyboard.press('Enter')
    await barOf(page).untilItIs('@dipper')
    await page.getByLabel('Post', { exact: true }).fill('Hello, network')
    await page.getByRole('button', { name: 'Post', exact: true }).click()
    await page.locator('#list article', { hasText: 'Hello, network' }).waitFor()

    await page.goto(app.origin)
    await barOf(page).untilItIs('@dipper')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('likes, unlikes and replies, with the keyboard alone', async () => {
    const uuid = await publish(app, wren, { content: 'Something to like' })
    const { page, post, complaints } = await open(robin, `#/post/${uuid}`)
    const like = post('Something to like').getByRole('button', { name: 'Like, 0 so far' })
    await like.focus()
    await page.keyboard.press('Enter')
    const liked = post('Something to like').getByRole('button', { name: 'Like, 1 so far' })
    await liked.waitFor()
    expect(await liked.getAttribute('aria-pressed')).toBe('true')
    await page.keyboard.press('Enter')
    await like.waitFor()

    await page.keyboard.press('Tab')
    await page.keyboard.press('Space')
    await page.keyboard.type('Well said')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await post('Something to like').locator('.replies article', { hasText: 'Well said' }).waitFor()
    await post('Something to like').getByRole('link', { name: '1 reply' }).waitFor()
    await page.reload()
    await page.locator('#list article article', { hasText: 'Well said' }).waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('edits and deletes posts and replies of the reader, and those of nobody else', async () => {
    const uuid = await publish(app, robin, { content: 'A tpyo' })
    await publish(app, wren, { content: 'Not mine', parent: uuid })
    const { page, post, complaints } = await open(robin, `#/post/${uuid}`)
    await post('A tpyo').getByRole('button', { name: 'Edit' }).click()
    expect(await page.getByRole('button', { name: /^(?:Edit|Delete)$/ }).count()).toBe(2)
    const text = page.getByRole('textbox', { name: 'Edit' })
    expect(await text.inputValue()).toBe('A tpyo')
    await text.fill('A typo')
    await page.getByRole('button', { name: 'Save' }).click()
    await post('A typo').getByText(', edited').waitFor()

    await mutate(app, robin, 'updatePost', { uuid, content: 'Edited elsewhere' }, '__typename')
    await post('A typo').getByRole('button', { name: 'Edit' }).click()
    await text.fill('Overwritten')
    await page.getByRole('button', { name: 'Save' }).click()
    await post('A typo').getByRole('alert').waitFor()
    await page.reload()
    await post('Edited elsewhere').getByRole('button', { name: 'Delete' }).click()
    await page.locator('.ask').getByRole('button', { name: 'Delete' }).click()
    await post('Deleted').waitFor()
    expect(await post('Not mine').isVisible()).toBe(true)
    expect((await app.rest(robin.token, 'GET', `/post/${uuid}`)).status).toBe(404)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('asks for a text beside the form, before anything is sent', async () => {
    const { page } = await open(robin)
    const form = page.locator('#head form')
    await form.getByLabel('Post').fill(' \n ')
    await form.getByRole('button').click()
    await form.getByRole('alert').filter({ hasText: 'Write something first.' }).waitFor()
    await form.getByLabel('Post').fill('Something')
    await form.getByRole('button').click()
    await page.locator('#list article', { hasText: 'Something' }).first().waitFor()
    expect(await page.getByRole('alert').count()).toBe(0)
    await page.context().close()
  })

  test('follows and unfollows, and shows no such button to oneself', async () => {
    const heron = await app.person('heron')
    const { page, complaints } = await open(robin, '#/@heron')
    await page.getByText('0 followers · 0 following').waitFor()
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByText('1 follower · 0 following').waitFor()
    await page.getByRole('button', { name: 'Unfollow' }).click()
    await page.getByText('0 followers · 0 following').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
    const own = await open(heron, '#/@heron')
    await own.page.getByText('0 followers · 0 following').waitFor()
    expect(await own.page.getByRole('button', { name: 'Follow' }).count()).toBe(0)
    await own.page.context().close()
  })
})
