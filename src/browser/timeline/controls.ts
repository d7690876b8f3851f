import { Ellipsis, type IconNode } from 'lucide'
import { attempt, byId, element } from '../dom.ts'
import { drawIcon } from '../picture.ts'

/** Draws a button with an icon, whose name is for screen readers and beside the pointer. */
export function drawIconButton(icon: IconNode, name: string): HTMLButtonElement {
  const button = element('button', { type: 'button', className: 'bare' }, drawIcon(icon))
  nameControl(button, name)
  return button
}

/** Names a control without a text. */
export function nameControl(control: HTMLElement, name: string): void {
  control.ariaLabel = name
  control.title = name
}

/** Makes a button open and close what belongs to it, which gets the focus when it opens. */
export function disclose(button: HTMLButtonElement, content: HTMLElement): void {
  const show = (isOpen: boolean) => {
    content.hidden = !isOpen
    button.ariaExpanded = String(isOpen)
  }
  show(false)
  button.onclick = () => {
    show(content.hidden !== false)
    content.querySelector<HTMLElement>('textarea, button')?.focus()
  }
  content.addEventListener('keydown', ({ key }) => {
    if (key !== 'Escape') return
    show(false)
    button.focus()
  })
}

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
