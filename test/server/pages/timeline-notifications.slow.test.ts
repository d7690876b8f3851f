import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { follows, likes } from '../../../src/features/base/relations.ts'
import type { Person, TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { overflowOf, withBrowser } from '../../support/browser/watched-page.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

describe.skipIf(chromiumPath === undefined)('notifications in a browser', () => {
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

  test('are counted as they come, and read when they are opened with the keyboard', async () => {
    const uuid = await publish(app, robin, { content: 'Listen' })
    const { page, complaints } = await openTimeline(browser, app.origin, robin, '#/public')
    const bell = page.locator('#bell')
    const unread = (count: number) => page.getByRole('link', { name: `Notifications, ${count} unread` }).waitFor()
    const told = () => page.locator('#list article > header > :first-child').allInnerTexts()
    await setRelation(app, wren, likes, uuid)
    await unread(1)
    await setRelation(app, wren, follows, robin.id)
    await publish(app, wren, { content: 'Heard', parent: uuid })
    await publish(app, wren, { content: 'Dear @robin' })
    await unread(4)

    await page.getByRole('link', { name: 'Bookmarks' }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Notifications' }).waitFor()
    await expect
      .poll(told)
      .toEqual(['@wren mentioned you', '@wren replied', '@wren followed you', '@wren liked your post'])
    expect(await page.getByText('New', { exact: true }).count()).toBe(4)
    await expect.poll(() => bell.getAttribute('data-unread')).toBe(null)
    expect(await bell.getAttribute('aria-current')).toBe('page')

    const again = await publish(app, wren, { content: 'Forget it, @robin' })
    await publish(app, wren, { content: 'Once more, @robin' })
    await unread(2)
    await mutate(app, wren, 'deletePost', { uuid: again }, 'publication { uuid }')
    await unread(1)
    await bell.click()
    await page.getByRole('link', { name: 'Once more' }).waitFor()
    expect(await page.getByText('New', { exact: true }).count()).toBe(1)
    await page.getByRole('link', { name: 'Heard' }).click()
    await page.locator('article article', { hasText: 'Heard' }).waitFor()
    await page.goto(`${app.origin}/timeline#/notifications`)
    await page.reload()
    await expect.poll(told).toHaveLength(5)
    expect(await page.getByText('New', { exact: true }).count()).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('are grouped, and go on by pages, on a narrow screen', async () => {
    const dunnock = await app.person('dunnock')
    const uuid = await publish(app, dunnock)
    for (let index = 0; index < 20; index += 1) await publish(app, wren, { content: `Number ${index}. @dunnock` })
    const likers = await people(app, 7)
    for (const liker of likers) await setRelation(app, liker, likes, uuid)
    const { page } = await openTimeline(browser, app.origin, dunnock, '#/public')
    await page.setViewportSize({ width: 390, height: 740 })
    await page.getByRole('link', { name: 'Notifications, 21 unread' }).waitFor()
    expect(await overflowOf(page)).toBe(0)
    await page.locator('#bell').click()
    await page.getByText(/^@\w+, @\w+, @\w+, @\w+, @\w+, and 2 others liked your post$/).waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await page.getByRole('link', { name: 'Number 0.' }).waitFor()
    expect(await page.locator('#list article').count()).toBe(21)
    expect(await overflowOf(page)).toBe(0)
    await page.context().close()
  })
})
