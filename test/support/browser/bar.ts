import type { Page } from 'playwright-core'

/** The bar at the top of a page. */
export function barOf(page: Page) {
  const who = page.locator('#who')
  const menu = page.getByRole('dialog', { name: 'Account' })
  /** Opens the menu for an action. */
  async function inMenu<T>(act: () => Promise<T>): Promise<T> {
    await who.click()
    const result = await act()
    await page.keyboard.press('Escape')
    return result
  }
  return {
    /** Waits until it says whose token is in use. */
    untilItIs: (name: string) => who.filter({ hasText: name }).waitFor(),
    /** What asks the reader to sign in. */
    notice: page.getByRole('region', { name: 'Account' }),
    token: () => inMenu(() => menu.getByLabel('Token').inputValue()),
    enter: (token: string) => inMenu(() => menu.getByLabel('Token').fill(token)),
    press: (button: 'Sign out' | 'Use the demo') => inMenu(() => menu.getByRole('button', { name: button }).click()),
  }
}
