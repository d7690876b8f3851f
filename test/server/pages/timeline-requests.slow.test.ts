import type { Browser } from 'playwright-core'
import { beforeAll, describe, expect, test } from 'vitest'
import { follows } from '../../../src/features/base/relations.ts'
import type { Person, TestApp } from '../../support/app.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { overflowOf, withBrowser } from '../../support/browser/watched-page.ts'
import { mutate } from '../../support/graphql/mutate.ts'
import { people } from '../../support/graphql/publish.ts'
import { setRelation } from '../../support/graphql/relations.ts'

describe.skipIf(chromiumPath === undefined)('requests to follow, in a browser', () => {
  const started = withBrowser()
  let app: TestApp
  let browser: Browser
  let robin: Person
  let wren: Person
  beforeAll(async () => {
    ;({ app, browser } = started)
    robin = await app.person('robin')
    wren = await app.person('wren')
    await mutate(app, robin, 'updateProfile', { isPrivate: true }, 'viewer { isPrivate }')
  })

  const followers = (of: Person) =>
    app.database.write.prisma.follow.findMany({ where: { followeeId: of.id }, select: { followerId: true } })

  test('are sent and withdrawn by the button of a private account, whose posts are not shown', async () => {
    const { page, complaints } = await openTimeline(browser, app.origin, wren, '#/@robin')
    await page.getByText('This account is private. Follow it to see its posts.').waitFor()
    await page.getByRole('button', { name: 'Follow', exact: true }).click()
    await page.getByRole('button', { name: 'Requested' }).waitFor()
    await page.reload()
    await page.getByRole('button', { name: 'Requested' }).click()
    await page.getByRole('button', { name: 'Follow', exact: true }).waitFor()
    expect(await app.database.write.prisma.followRequest.count()).toBe(0)
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('are answered from their notification with the keyboard alone', async () => {
    const [accepted, declined] = [await app.person('heron'), await app.person('dunnock')]
    await setRelation(app, accepted, follows, robin.id)
    await setRelation(app, declined, follows, robin.id)
    const { page, complaints } = await openTimeline(browser, app.origin, robin, '#/public')
    await page.getByRole('link', { name: 'Notifications, 1 unread' }).click()
    await page.getByText('@dunnock and @heron asked to follow you').waitFor()
    await page.getByRole('button', { name: 'Decline @dunnock' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Declined')
    await page.getByRole('button', { name: 'Accept @heron' }).focus()
    await page.keyboard.press('Enter')
    await expect.poll(() => page.locator(':focus').innerText()).toBe('Accepted')
    expect(await followers(robin)).toEqual([{ followerId: accepted.id }])
    await page.reload()
    await page.getByText('No notifications yet.').waitFor()
    expect(complaints).toEqual([])
    await page.context().close()
  })

  test('are all listed under notifications, by pages, on a narrow screen', async () => {
    const many = await people(app, 21)
    for (const person of many) await setRelation(app, person, follows, robin.id)
    const { page, complaints } = await openTimeline(browser, app.origin, robin, '#/notifications')
    await page.setViewportSize({ width: 390, height: 740 })
    await page.getByRole('link', { name: 'Follow requests' }).click()
    const requests = page.locator('#list article')
    await expect.poll(() => requests.count()).toBe(20)
    await page.getByRole('button', { name: 'More' }).click()
    await expect.poll(() => requests.count()).toBe(21)
    expect(await overflowOf(page)).toBe(0)
    const newest = requests.first()
    await newest.getByRole('button', { name: /^Accept/ }).click()
    await newest.getByText('Accepted').waitFor()
    expect(await followers(robin)).toContainEqual({ followerId: many.at(-1)?.id })
    await setRelation(app, many[0] ?? wren, follows, robin.id, false)
    await requests
      .last()
      .getByRole('button', { name: /^Accept/ })
      .click()
    await requests.last().getByRole('alert').waitFor()
    expect(complaints.filter((complaint) => !complaint.includes('404'))).toEqual([])
    await page.context().close()
  })
})
