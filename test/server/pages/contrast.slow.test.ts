import type { Page } from 'playwright-core'
import { describe, expect, test } from 'vitest'
import { chromiumPath } from '../../support/browser/chromium.ts'
import { withDemo } from '../../support/browser/demo.ts'
import { watchedPage } from '../../support/browser/watched-page.ts'

/** The lowest contrast of a text and its ground (WCAG 2.2, 1.4.3), and of the outline of what has the focus (1.4.11). */
const lowest = { text: 4.5, outline: 3 } as const

/** Measures contrasts of an element in the page, with all layers behind it. Filters are left out: they change a text with its ground. */
const script = `(element => {
  const context = Object.assign(document.createElement('canvas'), { width: 1, height: 1 }).getContext('2d', { willReadFrequently: true })
  const painted = (...colours) => {
    context.fillStyle = 'white'
    context.fillRect(0, 0, 1, 1)
    for (const [colour, alpha] of colours) {
      context.globalAlpha = alpha
      context.fillStyle = colour
      context.fillRect(0, 0, 1, 1)
      context.globalAlpha = 1
    }
    return [...context.getImageData(0, 0, 1, 1).data].slice(0, 3)
  }
  const luminance = (rgb) => rgb.map((byte) => byte / 255).map((part) => part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4)
    .reduce((sum, part, index) => sum + part * [0.2126, 0.7152, 0.0722][index], 0)
  const contrast = (one, other) => {
    const [dark, light] = [luminance(one), luminance(other)].sort((a, b) => a - b)
    return Math.round((light + 0.05) / (dark + 0.05) * 100) / 100
  }
  const layers = []
  for (let at = element; at; at = at.parentElement) layers.unshift(at)
  const grounds = layers.map((layer) => [getComputedStyle(layer).backgroundColor, Number(getComputedStyle(layer).opacity)])
  const style = getComputedStyle(element)
  const opacity = layers.reduce((product, layer) => product * Number(getComputedStyle(layer).opacity), 1)
  return {
    text: contrast(painted(...grounds), painted(...grounds, [style.color, opacity])),
    ...(style.outlineStyle !== 'none' && { outline: contrast(painted(...grounds.slice(0, -1)), painted(...grounds.slice(0, -1), [style.outlineColor, 1])) }),
  }
})`

/** What can be pressed on a page, one of each kind. */
const controls = `[...document.querySelectorAll('.own :is(a, button, .button, summary, input:not([type=hidden]), textarea, select)')]
  .filter((element) => element.checkVisibility() && element.getClientRects().length > 0)
  .filter((element, index, all) => {
    const kindOf = (it) => [it.tagName, it.className, it.type, it.parentElement.tagName, it.parentElement.className].join()
    return all.findIndex((other) => kindOf(other) === kindOf(element)) === index
  })`

/** The controls of a page whose texts or outlines cannot be read well, with the state in which that is so. */
async function illegible(page: Page): Promise<string[]> {
  const session = await page.context().newCDPSession(page)
  await session.send('DOM.enable')
  await session.send('CSS.enable')
  const found: string[] = []
  const count = Number(await page.evaluate(`(window.controls = ${controls}).length`))
  expect(count).toBeGreaterThan(0)
  const { root } = await session.send('DOM.getDocument')
  for (let index = 0; index < count; index++) {
    await page.evaluate(`window.controls[${index}].setAttribute('data-measured', '')`)
    const { nodeId } = await session.send('DOM.querySelector', { nodeId: root.nodeId, selector: '[data-measured]' })
    for (const [state, forced, disabled] of [
      ['hover', ['hover'], false],
      ['focus', ['focus', 'focus-visible'], false],
      ['disabled', [], true],
      ['disabled and hovered', ['hover'], true],
    ] as const) {
      const canDisable = await page.evaluate(`'disabled' in window.controls[${index}]`)
      if (disabled && !canDisable) continue
      await session.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: [...forced] })
      const measured: unknown = await page.evaluate(`{
        const control = window.controls[${index}]
        if (${disabled}) control.disabled = true
        const measured = { ...${script}(control), html: control.outerHTML.slice(0, 100) }
        if (${disabled}) control.disabled = false
        measured
      }`)
      const { text, outline, html } = Object(measured)
      if (text < lowest.text || outline < lowest.outline) found.push(`${state}: ${text}, ${outline}: ${html}`)
      if (state === 'focus' && outline === undefined) found.push(`no outline: ${html}`)
    }
    await session.send('CSS.forcePseudoState', { nodeId, forcedPseudoClasses: [] })
    await page.evaluate(`window.controls[${index}].removeAttribute('data-measured')`)
  }
  await session.detach()
  return found
}

const pages = [
  ['/', '#answer .name'],
  ['/timeline#/public', '#list article footer'],
  ['/timeline#/notifications', '#list article'],
  [`/verify?token=rookery_${'x'.repeat(43)}`, 'form'],
  ['/reset', 'form'],
  ['/oauth/connections', 'form'],
  ['/sign-up?invitation=x', 'form'],
  ['/appeal', 'h1'],
  ['/nothing-here', 'h1'],
] as const

describe.skipIf(chromiumPath === undefined)('controls are legible under the mouse, with the focus and disabled', () => {
  const started = withDemo()

  test.each(pages)('at %s', async (path, ready) => {
    const { page } = await watchedPage(started.browser, started.app.origin)
    await page.goto(started.app.origin + path)
    await page.locator(ready).first().waitFor()
    for (const colorScheme of ['light', 'dark'] as const) {
      await page.emulateMedia({ colorScheme })
      expect({ colorScheme, found: await illegible(page) }).toEqual({ colorScheme, found: [] })
    }
    await page.close()
  })
})
