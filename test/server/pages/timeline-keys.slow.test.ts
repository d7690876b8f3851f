import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { withBrowser } from '../../support/browser/watched-page.ts'
import { publish } from '../../support/graphql/publish.ts'

describe.skipIf(chromiumPath === undefined)('on the timeline, the key', () => {
  const started = withBrowser()
  let app: TestApp
  let browser: Browser
  let robin: Person
  beforeAll(async () => {
    ;({ app, browser } = started)
    robin = await app.person('robin')
    for (const content of ['Oldest', 'Middle', 'Newest']) await publish(app, robin, { content })
  })

  async function open(hash = '#/public') {
    const opened = await openTimeline(browser, app.origin, robin, hash)
    await opened.post('Oldest').waitFor()
    return { ...opened, press: (key: string) => opened.page.keyboard.press(key) }
  }

  test('j goes to the next post and k to the previous one, l likes it, and r replies to it', async () => {
    const { page, post, press, complaints } = await open()
    const focused = page.locator(':focus')
    const text = () => focused.locator('> p').innerText()
    const seen: string[] = []
    for (const key of ['j', 'j', 'j', 'j', 'k']) {
      await press(key)
      seen.push(await text())
    }
    expect(seen).toEqual(['Newest', 'Middle', 'Oldest', 'Oldest', 'Middle'])
    expect(await focused.evaluate('document.activeElement.matches(":focus-visible")')).toBe(true)
    await press('l')
    await post('Middle').getByRole('button', { name: 'Like, 1 so far' }).waitFor()
    await press('r')
    expect(await focused.getAttribute('aria-label')).toBe('Reply')
    await page.keyboard.type('jkl /?n')
    expect(await focused.inputValue()).toBe('jkl /?n')
    await press('Escape')
    await press('j')
    expect(await text()).toBe('Oldest')
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('n begins a post from any view, and / a search', async () => {
    const { page, press } = await open()
    const focused = page.locator(':focus')
    await press('n')
    await expect.poll(() => focused.getAttribute('aria-label')).toBe('Post')
    await focused.blur()
    await press('/')
    expect(await focused.getAttribute('id')).toBe('searched')
    expect(await focused.inputValue()).toBe('')
    await page.context().close()
  })

  test('? lists the keys, which can be switched off, and none acts with Ctrl', async () => {
    const { page, press, complaints } = await open()
    const dialog = page.getByRole('dialog', { name: 'Keyboard shortcuts' })
    await press('Control+j')
    expect(await page.locator('article:focus').count()).toBe(0)
    await press('?')
    await dialog.getByText('Next post').waitFor()
    await press('j')
    expect(await page.locator('article:focus').count()).toBe(0)
    await dialog.getByLabel('Use keyboard shortcuts').uncheck()
    await dialog.getByRole('button', { name: 'Close' }).click()
    await dialog.waitFor({ state: 'detached' })
    await press('j')
    expect(await page.locator('article:focus').count()).toBe(0)
    await page.getByRole('button', { name: 'Shortcuts' }).click()
    await dialog.getByLabel('Use keyboard shortcuts').check()
    await press('Escape')
    await press('j')
    expect(await page.locator('article:focus').count()).toBe(1)
    expect(complaints).toEqual([])
    await page.context().close()
  })
})
