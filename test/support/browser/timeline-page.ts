import type { Browser, Locator } from 'playwright-core'
import type { Person } from '../app.ts'
import { type WatchedPage, watchedPage } from './watched-page.ts'

/** A view of the timeline in a browser. */
export type TimelinePage = WatchedPage & {
  /** The first post with this text. */
  post(text: string): Locator
}

/** Opens a view of the timeline with the token of a person. */
export async function openTimeline(browser: Browser, origin: string, person: Person, hash = ''): Promise<TimelinePage> {
  const context = await browser.newContext()
  await context.addInitScript({ content: `sessionStorage.setItem('rookery:token', '${person.token}')` })
  const watched = await watchedPage(context, origin)
  await watched.page.goto(`${origin}/timeline${hash}`)
  return { ...watched, post: (text) => watched.page.locator('article', { hasText: text }).first() }
}
