import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { bookmarks } from '../../../src/features/base/relations.ts'
import type { Person, TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { overflowOf, withBrowser } from '../../support/browser/watched-page.ts'
import { publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

describe.skipIf(chromiumPath === undefined)('the menu of a post', () => {
  const started = withBrowser()
  let app: TestApp
  let browser: Browser
  let robin: Person
  let wren: Person
  let first: string
  let own: string
  beforeAll(async () => {
    ;({ app, browser } = started)
    robin = await app.person('robin')
    wren = await app.person('wren')
    first = await publish(app, wren, { content: 'First of wren' })
    own = await publish(app, robin, { content: 'By the reader' })
    await publish(app, wren, { content: 'Second of wren' })
  })

  test('mutes and blocks with the keyboard alone, and takes it back', async () => {
    const { page, post, complaints } = await openTimeline(browser, app.origin, robin, '#/public')
    const menu = post('First of wren').getByRole('button', { name: 'Actions' })
    const focused = page.locator(':focus')
    const open = async () => {
      await menu.focus()
      await page.keyboard.press('Enter')
      await page.keyboard.press('Tab')
    }
    await open()
    expect(await focused.innerText()).toBe('Mute @wren')
    await page.keyboard.press('Escape')
    expect(await focused.getAttribute('aria-label')).toBe('Actions')

    for (const [place, choice, done] of [
      [0, 'Mute @wren', 'Muted @wren.'],
      [1, 'Block @wren', 'Blocked @wren.'],
    ] as const) {
      await open()
      for (let tab = 0; tab < place; tab += 1) await page.keyboard.press('Tab')
      expect(await focused.innerText()).toBe(choice)
      await page.keyboard.press('Enter')
      await page.getByRole('status').getByText(done).waitFor()
      expect(await post('of wren').count()).toBe(0)
      expect(await post('By the reader').isVisible()).toBe(true)
      expect(await focused.innerText()).toBe('Undo')
      await page.reload()
      await post('By the reader').waitFor()
      expect(await post('of wren').count()).toBe(0)
      await page.goto(`${app.origin}/timeline#/@wren`)
      await page.getByRole('button', { name: 'Actions' }).first().click()
      await page.getByRole('button', { name: `Un${choice.toLowerCase()}` }).click()
      await post('Second of wren').waitFor()
      await page.goto(`${app.origin}/timeline#/public`)
      await post('First of wren').waitFor()
    }
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('removes a bookmark from the list of them, which the keyboard reaches', async () => {
    for (const uuid of [first, own]) await setRelation(app, robin, bookmarks, uuid)
    const { page, post, complaints } = await openTimeline(browser, app.origin, robin, '#/public')
    const shown = () => page.locator('#list article > p').allInnerTexts()
    await post('First of wren').waitFor()
    await page.getByRole('link', { name: 'Public', exact: true }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Bookmarks' }).waitFor()
    await expect.poll(shown).toEqual(['By the reader', 'First of wren'])
    expect(await page.getByRole('link', { name: 'Bookmarks', exact: true }).getAttribute('aria-current')).toBe('page')
    const bookmark = post('First of wren').getByRole('button', { name: 'Bookmark' })
    await bookmark.focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => bookmark.getAttribute('aria-pressed')).toBe('false')
    await page.reload()
    await expect.poll(shown).toEqual(['By the reader'])
    await setRelation(app, robin, bookmarks, own, false)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('reports with a reason and a comment, with the keyboard alone', async () => {
    const { page, post, complaints } = await openTimeline(browser, app.origin, robin, '#/public')
    const menu = post('First of wren').getByRole('button', { name: 'Actions' })
    const open = async () => {
      await menu.focus()
      await page.keyboard.press('Enter')
      for (let tab = 0; tab < 3; tab += 1) await page.keyboard.press('Tab')
      await page.keyboard.press('Enter')
      await page.getByRole('dialog', { name: 'Report' }).waitFor()
    }
    await open()
    await page.keyboard.press('Escape')
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Actions')
    await open()
    await page.keyboard.type('Abuse')
    await page.keyboard.press('Tab')
    await page.keyboard.type('Look at this')
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('status').getByText('Reported.').waitFor()
    await expect.poll(() => page.locator(':focus').getAttribute('aria-label')).toBe('Actions')
    const reports = await app.database.write.prisma.report.findMany()
    expect(reports).toMatchObject([{ reason: 'ABUSE', comment: 'Look at this', reporterId: robin.id }])
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('undoes a mute from its notice, on a narrow screen', async () => {
    const { page, post, complaints } = await openTimeline(browser, app.origin, robin, '#/public')
    await page.setViewportSize({ width: 390, height: 740 })
    await post('First of wren').getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Mute @wren' }).click()
    await page.getByRole('button', { name: 'Undo' }).click()
    await post('First of wren').waitFor()
    expect(await page.getByRole('button', { name: 'Undo' }).count()).toBe(0)
    await post('First of wren').getByRole('button', { name: 'Actions' }).click()
    expect(await overflowOf(page)).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('mutes and reports nothing that the reader wrote', async () => {
    const { page, post } = await openTimeline(browser, app.origin, robin, '#/public')
    await post('By the reader').getByRole('button', { name: 'Actions' }).click()
    expect(await page.locator('.menu:popover-open button').allInnerTexts()).toEqual(['Forbid quotes'])
    await page.context().close()
  })
})
