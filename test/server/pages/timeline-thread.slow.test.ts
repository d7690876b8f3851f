import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { overflowOf, withBrowser } from '../../support/browser/watched-page.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'

describe.skipIf(chromiumPath === undefined)('the thread of a post in a browser', () => {
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

  test('is a tree, with the places of what was deleted, and opens from each of its posts by keyboard', async () => {
    const root = await publish(app, robin, { content: 'The question' })
    const gone = await publish(app, wren, { content: 'Never mind', parent: root })
    await publish(app, robin, { content: 'But I do', parent: gone })
    const answer = await publish(app, wren, { content: 'The answer', parent: root })
    await publish(app, robin, { content: 'Thank you', parent: answer })
    await mutate(app, wren, 'deletePost', { uuid: gone }, '__typename')
    await publish(app, wren, { content: 'Alone' })

    const { page, post, complaints } = await openTimeline(browser, app.origin, robin, '#/public')
    expect(await post('Alone').locator('footer').getByRole('link').count()).toBe(0)
    await post('The question').getByRole('link', { name: '1 reply' }).focus()
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Thread' }).waitFor()
    const replies = (uuid: string) => page.locator(`[id="${uuid}"] > .replies > article > p`).allInnerTexts()
    await expect.poll(() => replies(root)).toEqual(['Deleted or hidden', 'The answer'])
    expect(await replies(gone)).toEqual(['But I do'])
    expect(await replies(answer)).toEqual(['Thank you'])
    expect(await page.locator('#list > div > article').count()).toBe(1)

    await page.locator('article article article', { hasText: 'Thank you' }).locator('time').click()
    await expect.poll(() => page.locator(':focus > p').innerText()).toBe('Thank you')
    await page.keyboard.press('Tab')
    expect(await page.locator(':focus').getAttribute('href')).toBe('#/@robin')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('goes on by pages, and shows what was asked for at once', async () => {
    const root = await publish(app, robin, { content: 'First of many' })
    const parent = await publish(app, wren, { content: 'Number 0.', parent: root })
    for (let index = 1; index < 50; index += 1) await publish(app, robin, { content: `Number ${index}.`, parent: root })
    const below = await publish(app, robin, { content: 'Below number 0.', parent })
    const last = await publish(app, robin, { content: 'The last.', parent: below })
    const { page, post } = await openTimeline(browser, app.origin, robin, `#/post/${last}`)
    await post('The last.').waitFor()
    const shown = page.locator('#list article')
    expect(await page.locator('article[aria-current] > p').allInnerTexts()).toEqual(['The last.'])
    expect(await page.locator(`[id="${parent}"] [id="${below}"] [id="${last}"]`).count()).toBe(1)
    expect(await shown.count()).toBe(52)
    await page.getByRole('button', { name: 'More' }).click()
    await expect.poll(() => shown.count()).toBe(53)
    expect(await page.locator(`[id="${root}"] > .replies > article`).count()).toBe(50)
    expect(await page.getByRole('button', { name: 'More' }).isVisible()).toBe(false)
    await page.context().close()
  })

  test('is in its order, also around what was asked for on a later page', async () => {
    const root = await publish(app, robin, { content: 'Sixty replies' })
    const replies: string[] = []
    for (let index = 0; index < 60; index += 1)
      replies.push(await publish(app, robin, { content: `Reply ${index}.`, parent: root }))
    const { page, post } = await openTimeline(browser, app.origin, robin, `#/post/${replies[55]}`)
    await post('Reply 55.').waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await post('Reply 59.').waitFor()
    const texts = await page.locator(`[id="${root}"] > .replies > article > p`).allInnerTexts()
    expect(texts).toEqual(replies.map((_, index) => `Reply ${index}.`))
    await page.context().close()
  })

  test('fits a narrow screen, however deep it is', async () => {
    let parent = await publish(app, robin, { content: 'Depth 0.' })
    for (let depth = 1; depth < 25; depth += 1) {
      parent = await publish(app, wren, { content: `Depth ${depth}.`, parent })
    }
    const { page, post } = await openTimeline(browser, app.origin, robin, `#/post/${parent}`)
    await page.setViewportSize({ width: 390, height: 740 })
    await post('Depth 24.').waitFor()
    expect(await overflowOf(page)).toBe(0)
    const box = await page.locator('article[aria-current]').boundingBox()
    expect(box?.width).toBeGreaterThan(250)
    await page.context().close()
  })
})
