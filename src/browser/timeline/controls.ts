import type { IconNode } from 'lucide'
import { element } from '../dom.ts'
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
