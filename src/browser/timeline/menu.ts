import { Ellipsis } from 'lucide'
import { attempt, byId, element } from '../dom.ts'
import { drawIconButton } from './controls.ts'

/** What a menu offers. */
export type Choice = { readonly text: string; choose(): Promise<void> }

/** Draws a button that opens a menu. Its choices are drawn as it opens, since each may change the others. */
export function drawMenu(choices: () => readonly Choice[]): HTMLElement {
  const menu = element('div', { className: 'menu card', popover: 'auto' })
  const button = drawIconButton(Ellipsis, 'Actions')
  button.popoverTargetElement = menu
  const draw = ({ text, choose }: Choice) => {
    const item = element('button', {}, text)
    item.onclick = () =>
      attempt(item, async () => {
        await choose()
        menu.hidePopover()
        if (document.activeElement === document.body) button.focus()
      })
    return item
  }
  menu.onbeforetoggle = ({ newState }) => {
    if (newState === 'open') menu.replaceChildren(...choices().map(draw))
  }
  return element('span', {}, button, menu)
}

/** Says what was done. If it can be undone, a button does so, which gets the focus. */
export function say(text: string, undo?: () => Promise<void>): void {
  byId('said').replaceChildren(element('span', {}, text))
  if (!undo) return
  const button = element('button', {}, 'Undo')
  button.onclick = () => attempt(button, undo)
  byId('said').append(button)
  button.focus()
}
