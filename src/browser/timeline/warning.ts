import type { Item } from '../documents.ts'
import { element } from '../dom.ts'

/** Draws a text in its language, or its warning with a button that shows the text. */
export function drawText(
  { warning, language }: Pick<Item, 'warning' | 'language'>,
  ...content: readonly (Node | string)[]
): HTMLElement {
  const direction = { dir: 'auto', ...(language ? { lang: language } : {}) }
  const text = element('p', direction, ...content)
  if (!warning) return text
  const toggle = element('span', { className: 'toggle' }, 'Show')
  const summary = element('summary', {}, element('span', direction, warning), ' ', toggle)
  const details = element('details', { className: 'warning' }, summary, text)
  details.ontoggle = () => {
    toggle.textContent = details.open ? 'Hide' : 'Show'
  }
  return details
}

/** Draws the field for a warning, which opens when it is needed. */
export function drawWarningField(start: string): { readonly field: HTMLElement; readonly input: HTMLInputElement } {
  const input = element('input', { ariaLabel: 'Warning', placeholder: 'What readers should know first', dir: 'auto' })
  input.defaultValue = start
  const field = element('details', { open: start !== '' }, element('summary', {}, 'Warning'), input)
  return { field, input }
}
