import type { Page } from 'playwright-core'

/** The characters of a page for which no font has a glyph: they look like a character that does not exist. */
export function missingGlyphsOf(page: Page): Promise<string[]> {
  return page.evaluate(`(() => {
    const context = new OffscreenCanvas(48, 48).getContext('2d', { willReadFrequently: true })
    context.font = '24px ' + getComputedStyle(document.body).fontFamily
    const pictureOf = (character) => {
      context.clearRect(0, 0, 48, 48)
      context.fillText(character, 4, 32)
      return context.measureText(character).width + ':' + context.getImageData(0, 0, 48, 48).data.join()
    }
    const missing = pictureOf('\\u{10ffff}')
    const characters = new Set(document.body.innerText.match(/[^\\x00-\\x7f\\p{M}\\p{C}\\p{Z}]/gu))
    return [...characters].filter((character) => pictureOf(character) === missing)
  })()`)
}
