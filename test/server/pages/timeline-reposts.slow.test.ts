import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { follows, reposts } from '../../../src/features/base/relations.ts'
import type { Person, TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { overflowOf, withBrowser } from '../../support/browser/watched-page.ts'
import { people, publish } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

describe.skipIf(chromiumPath === undefined)('reposts and quotes in a browser', () => {
  const started = withBrowser()
  let app: TestApp
  let browser: Browser
  let robin: Person
  let wren: Person
  beforeAll(async () => {
    ;({ app, browser } = started)
    robin = await app.person('robin')
    wren = await app.person('wren')
    await setRelation(app, robin, follows, wren.id)
  })

  const open = (person: Person, hash = '') => openTimeline(browser, app.origin, person, hash)

  test('reposts and undoes it with the keyboard alone, but only what is for everybody', async () => {
    const uuid = await publish(app, wren, { content: 'For all' })
    await publish(app, wren, { content: 'Among us', audience: 'FOLLOWERS' })
    const { page, post, complaints } = await open(robin, '#/@wren')
    const none = post('For all').getByRole('button', { name: 'Repost, 0 so far' })
    await none.focus()
    await page.keyboard.press('Enter')
    const one = post('For all').getByRole('button', { name: 'Repost, 1 so far' })
    await one.waitFor()
    expect(await one.getAttribute('aria-pressed')).toBe('true')
    expect(await app.database.write.prisma.repost.count({ where: { publicationId: uuid } })).toBe(1)
    await page.goto(`${app.origin}/timeline#/@robin`)
    await post('For all').getByText('@robin reposted').waitFor()
    await one.focus()
    await page.keyboard.press('Enter')
    await none.waitFor()
    await page.reload()
    await page.getByText('No posts yet.').waitFor()
    await page.goto(`${app.origin}/timeline#/@wren`)
    await post('Among us').getByRole('button', { name: 'Actions' }).waitFor()
    expect(
      await post('Among us')
        .getByRole('button', { name: /Repost|Quote/ })
        .count(),
    ).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('names who reposted a post above it, in the place of the latest repost, also as it happens', async () => {
    const [author, ...reposters] = await people(app, 4)
    if (!author) throw new Error('There is no author.')
    const uuid = await publish(app, author, { content: 'From elsewhere' })
    await publish(app, wren, { content: 'Older than the reposts' })
    for (const reposter of reposters) {
      await setRelation(app, robin, follows, reposter.id)
      await setRelation(app, reposter, reposts, uuid)
    }
    const { page, post, complaints } = await open(robin)
    await post('From elsewhere')
      .getByText(/^@\w+, @\w+, and 1 other reposted$/)
      .waitFor()
    expect(await page.locator('#list > article > p').first().innerText()).toBe('From elsewhere')
    const late = await publish(app, author, { content: 'Reposted now' })
    await setRelation(app, wren, reposts, late)
    await post('Reposted now').getByText('@wren reposted').waitFor()
    await post('Reposted now').getByRole('link', { name: '@wren' }).click()
    await page.getByRole('heading', { name: '@wren' }).waitFor()
    await post('Reposted now').getByText('@wren reposted').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('quotes a post, and lets its author detach the quote and forbid more', async () => {
    const uuid = await publish(app, wren, { content: 'Worth quoting' })
    const mine = await open(robin, `#/post/${uuid}`)
    await mine.page.setViewportSize({ width: 375, height: 740 })
    await mine.post('Worth quoting').getByRole('button', { name: 'Quote' }).click()
    await mine.page.keyboard.type('How true')
    const form = mine.page.locator('form', { has: mine.page.getByRole('textbox', { name: 'Quote' }) })
    await form.locator('.quoted').getByText('Worth quoting').waitFor()
    expect(await overflowOf(mine.page)).toBe(0)
    await form.getByRole('button', { name: 'Quote' }).click()
    await mine.page.getByRole('status').getByText('Your quote is published.').waitFor()
    await mine.post('Worth quoting').getByRole('link', { name: '1 quote' }).click()
    await mine.page.getByRole('heading', { name: 'Quotes' }).waitFor()
    await mine.post('How true').locator('.quoted').getByText('Worth quoting').waitFor()
    await mine.post('How true').locator('.quoted a:has(time)').click()
    await mine.page.getByRole('heading', { name: 'Thread' }).waitFor()
    expect(await overflowOf(mine.page)).toBe(0)

    const { page, post, complaints } = await open(wren, '#/notifications')
    await page.getByText('@robin quoted your post').waitFor()
    await page.getByRole('link', { name: 'How true' }).click()
    await post('How true').getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Remove the quote of your post' }).click()
    await expect.poll(() => post('How true').locator('.quoted').count()).toBe(0)
    await page.goto(`${app.origin}/timeline#/post/${uuid}`)
    await post('Worth quoting').getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Forbid quotes' }).click()
    await post('Worth quoting').getByRole('button', { name: 'Actions' }).click()
    await page.getByRole('button', { name: 'Allow quotes' }).waitFor()
    await mine.page.reload()
    await mine.post('Worth quoting').getByRole('button', { name: 'Actions' }).waitFor()
    expect(await mine.post('Worth quoting').getByRole('button', { name: 'Quote' }).count()).toBe(0)
    expect([...complaints, ...mine.complaints]).toEqual([])
    await page.context().close()
    await mine.page.context().close()
  })

  test('says where what a post quotes is not available', async () => {
    const quote = await publish(app, wren, { content: 'Soon gone' })
    await publish(app, robin, { content: 'It quotes', quote })
    await app.rest(wren.token, 'DELETE', `/post/${quote}`)
    const { page, post } = await open(robin, '#/@robin')
    await post('It quotes').locator('.quoted').getByText('Not available').waitFor()
    await page.context().close()
  })

  test('tells of reposts, with a link to what was reposted', async () => {
    const dunnock = await app.person('dunnock')
    const uuid = await publish(app, dunnock, { content: 'Pass it on' })
    for (const person of [robin, wren]) await setRelation(app, person, reposts, uuid)
    const { page } = await open(dunnock, '#/notifications')
    await page.getByText('@wren and @robin reposted your post').waitFor()
    await page.getByRole('link', { name: 'Pass it on' }).click()
    await page.getByRole('button', { name: 'Repost, 2 so far' }).waitFor()
    await page.context().close()
  })
})
