import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { withBrowser } from '../../support/browser/watched-page.ts'
import { publish } from '../../support/graphql/publish.ts'

describe.skipIf(chromiumPath === undefined)('a warning in a browser', () => {
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

  test('stands in place of the text, which the keyboard shows and hides', async () => {
    const quote = await publish(app, wren, {
      content: 'It was the cook, @robin.',
      warning: 'The end of the book',
      language: 'en-GB',
    })
    await publish(app, wren, { content: 'Finished it', quote })
    const { page, post, complaints } = await openTimeline(browser, app.origin, robin, `#/post/${quote}`)
    const text = page.getByText('It was the cook')
    await post('The end of the book').waitFor()
    expect(await text.isVisible()).toBe(false)
    await page.locator('summary', { hasText: 'The end of the book' }).focus()
    for (const [said, isVisible] of [
      ['Hide', true],
      ['Show', false],
    ] as const) {
      await page.keyboard.press('Enter')
      await page.locator('summary').getByText(said).waitFor()
      expect(await text.isVisible()).toBe(isVisible)
    }
    expect(await page.locator('[lang="en-GB"]').allInnerTexts()).toEqual(['The end of the book', ''])
    for (const hash of ['#/notifications', '#/search/cook', `#/post/${quote}/quotes`]) {
      await page.goto(`${app.origin}/timeline${hash}`)
      await page.locator('#list summary', { hasText: 'The end of the book' }).waitFor()
      expect(await text.isVisible()).toBe(false)
    }
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('is written with a post, and changed and removed when it is edited', async () => {
    const { page, post, complaints } = await openTimeline(browser, app.origin, robin)
    const form = page.locator('#head form')
    await form.locator('summary').click()
    await form.getByRole('textbox', { name: 'Warning' }).fill('Spiders')
    await form.getByRole('textbox', { name: 'Post' }).fill('They have eight eyes.')
    await form.getByRole('button').click()
    const warning = post('eight eyes').locator('summary', { hasText: 'Show' })
    await expect.poll(() => warning.innerText()).toMatch(/^Spiders\s+Show$/)
    const edit = async (text: string) => {
      await post('eight eyes').getByRole('button', { name: 'Edit' }).click()
      await post('eight eyes').getByRole('textbox', { name: 'Warning' }).fill(text)
      await page.getByRole('button', { name: 'Save' }).click()
    }
    await edit('Many spiders')
    await post('eight eyes').getByText('Many spiders').waitFor()
    await edit('')
    await post('eight eyes').locator('> p').waitFor()
    expect(await warning.count()).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
