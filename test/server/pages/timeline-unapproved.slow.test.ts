import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { withBrowser } from '../../support/browser/watched-page.ts'

describe.skipIf(chromiumPath === undefined)('the timeline of a person who waits for approval, in a browser', () => {
  const started = withBrowser()

  test('says so instead of offering to write, until a moderator has approved the account', async () => {
    const { app, browser } = started
    const { prisma } = app.database.write
    const robin = await app.person('robin')
    await prisma.pendingAccount.create({ data: { id: robin.id, reason: 'I weave.' } })
    const { page } = await openTimeline(browser, app.origin, robin)
    const note = page.getByText('A moderator has not approved your account yet. Until then, you can only read.')
    const composer = page.getByRole('textbox', { name: 'Post', exact: true })
    await note.waitFor()
    expect(await composer.count()).toBe(0)
    await page.getByText('Nothing here yet. Find posts to read under Public.').waitFor()

    await prisma.pendingAccount.delete({ where: { id: robin.id } })
    await page.reload()
    await composer.waitFor()
    expect(await note.count()).toBe(0)
    await page.context().close()
  })
})
