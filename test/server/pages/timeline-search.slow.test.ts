import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { overflowOf, withBrowser } from '../../support/browser/watched-page.ts'
import { publish } from '../../support/graphql/publish.ts'

describe.skipIf(chromiumPath === undefined)('search in a browser', () => {
  const started = withBrowser()
  let app: TestApp
  let browser: Browser
  let robin: Person
  beforeAll(async () => {
    ;({ app, browser } = started)
    robin = await app.person('robin')
  })

  test('finds users and posts with the keyboard alone, and is an address', async () => {
    await app.person('waxwing')
    await publish(app, robin, { content: 'A waxwing ate 100% of the berries' })
    await publish(app, robin, { content: 'A goldfinch' })
    const { page, post, complaints } = await openTimeline(browser, app.origin, robin, '#/public')
    const field = page.getByRole('searchbox', { name: 'Search' })
    await field.focus()
    await page.keyboard.type(' ')
    await page.keyboard.press('Enter')
    expect(new URL(page.url()).hash).toBe('#/public')
    await field.fill('waxwing')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Search: waxwing' }).waitFor()
    await page.getByRole('list', { name: 'Users' }).getByRole('link', { name: '@waxwing' }).waitFor()
    await post('berries').waitFor()
    expect(await page.locator('#list article').count()).toBe(1)

    await field.fill('"100%" ate')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Search: "100%" ate' }).waitFor()
    await page.reload()
    await post('berries').waitFor()
    expect(await field.inputValue()).toBe('"100%" ate')
    await page.goto(`${app.origin}/timeline#/public`)
    await post('A goldfinch').waitFor()
    expect(await field.inputValue()).toBe('')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('finds what was published since when the same text is searched for again', async () => {
    await publish(app, robin, { content: 'A first bittern, isn’t it? (100% of "them")' })
    const { page, post } = await openTimeline(browser, app.origin, robin)
    const field = page.getByRole('searchbox', { name: 'Search' })
    for (const text of ['bittern', `bittern "100%" 'them'`]) {
      await field.fill(text)
      await field.press('Enter')
      await post('A first bittern').waitFor()
      await publish(app, robin, { content: `Later, by ${text}: 100% of them` })
      await field.press('Enter')
      await post(`Later, by ${text}`).waitFor()
    }
    await page.context().close()
  })

  test('goes on to older posts, and says if nothing was found, on a narrow screen', async () => {
    for (let index = 0; index < 21; index += 1) await publish(app, robin, { content: `Plover ${index}.` })
    const { page, post } = await openTimeline(browser, app.origin, robin, '#/search/plover')
    await page.setViewportSize({ width: 390, height: 740 })
    await post('Plover 20.').waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await post('Plover 0.').waitFor()
    expect(await overflowOf(page)).toBe(0)
    await page.goto(`${app.origin}/timeline#/search/${'w'.repeat(200)}`)
    await page.getByText('No posts found.').waitFor()
    expect(await overflowOf(page)).toBe(0)
    await page.context().close()
  })
})
