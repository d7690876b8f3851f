import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import type { Person, TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { overflowOf, withBrowser } from '../../support/browser/watched-page.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { publish } from '../../support/graphql/publish.ts'

describe.skipIf(chromiumPath === undefined)('mentions and hashtags in a browser', () => {
  const started = withBrowser()
  let app: TestApp
  let browser: Browser
  let robin: Person
  beforeAll(async () => {
    ;({ app, browser } = started)
    robin = await app.person('robin')
    await app.person('wren')
  })

  test('are links, also behind emoji, and everything else stays text', async () => {
    const content = '👩‍👩‍👧 <b>@wren</b> and @nobody at #Café, ＃ブログ: a@wren.example 🎉#end'
    const uuid = await publish(app, robin, { content })
    const { page, post, complaints } = await openTimeline(browser, app.origin, robin, '#/public')
    const text = post('and @nobody').locator('> p')
    expect(await text.innerText()).toBe(content)
    expect(await text.locator('b').count()).toBe(0)
    const links = await text
      .getByRole('link')
      .evaluateAll((found) => found.map((link) => [link.textContent, decodeURI(link.getAttribute('href') ?? '')]))
    expect(links).toEqual([
      ['@wren', '#/@wren'],
      ['#Café', '#/tag/café'],
      ['＃ブログ', '#/tag/ブログ'],
      ['#end', '#/tag/end'],
    ])
    await text.getByRole('link', { name: '@wren' }).focus()
    await page.keyboard.press('Tab')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: '#café' }).waitFor()
    await post('and @nobody').waitFor()
    await page.getByText('Posts and replies: 1').waitFor()
    await text.getByRole('link', { name: '@wren' }).click()
    await page.getByText('0 followers').waitFor()
    await mutate(app, robin, 'updatePost', { uuid, content: 'Only #cafe\u0301' }, '__typename')
    await page.goto(`${app.origin}/timeline#/tag/CAFÉ`)
    expect(await post('Only').locator('> p a').getAttribute('href')).toBe(`#/tag/${encodeURIComponent('café')}`)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('lead from a former username to the new one', async () => {
    const { id, token } = await app.person('robin_once')
    await app.database.write.prisma.user.update({ where: { id }, data: { username: 'robin_now' } })
    await publish(app, { token }, { content: 'Still here' })
    await publish(app, robin, { content: 'See @robin_once' })
    const { page, post, complaints } = await openTimeline(browser, app.origin, robin, '#/public')
    expect(await post('See').locator('> p a').getAttribute('href')).toBe('#/@robin_now')
    await page.goto(`${app.origin}/timeline#/@Robin_Once`)
    await page.getByRole('heading', { name: '@robin_now' }).waitFor()
    await post('Still here').waitFor()
    expect(new URL(page.url()).hash).toBe('#/@robin_now')
    await page.goBack()
    await post('See').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('list the posts of a hashtag by pages, and say if there is none', async () => {
    for (let index = 0; index < 21; index += 1) await publish(app, robin, { content: `Number ${index}. #many` })
    const { page, post } = await openTimeline(browser, app.origin, robin, '#/tag/many')
    await page.setViewportSize({ width: 390, height: 740 })
    await post('Number 20.').waitFor()
    await page.getByRole('button', { name: 'More' }).click()
    await post('Number 0.').waitFor()
    expect(await overflowOf(page)).toBe(0)
    await page.goto(`${app.origin}/timeline#/tag/none%`)
    await page.getByRole('alert').filter({ hasText: 'No post has this hashtag.' }).waitFor()
    await page.context().close()
  })
})
