import { describe, expect, test } from 'vitest'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { openTimeline } from '../../support/browser/timeline-page.ts'
import { withBrowser } from '../../support/browser/watched-page.ts'

describe.skipIf(chromiumPath === undefined)('the timeline of a suspended person, in a browser', () => {
  const started = withBrowser({ contact: 'help@social.example' })

  test('says since when and why, and whom to write to', async () => {
    const { app, browser } = started
    const robin = await app.person('robin')
    await setSuspended(app.database, 'operator', { uuid: robin.id, reason: 'Spam to help@social.example' }, true)
    const { page } = await openTimeline(browser, app.origin, robin)
    const said = page.getByText(
      /This account has been suspended since .+ UTC\. Reason: Spam to help@social\.example\. Contact: help@social\.example/,
    )
    await said.first().waitFor()
    const link = page.getByRole('link', { name: 'help@social.example' }).first()
    expect(await link.getAttribute('href')).toBe('mailto:help@social.example')
    expect(await link.evaluate((it) => it.previousSibling?.textContent)).toMatch(/ Contact: $/)
    const appeal = page.getByRole('link', { name: 'Appeal' }).first()
    expect(await appeal.getAttribute('href')).toBe('/appeal')
    expect(await page.getByRole('button', { name: '@robin' }).count()).toBe(1)
    await page.context().close()
  })
})
