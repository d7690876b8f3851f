import { CircleQuestionMark } from 'lucide'
import { byId, element } from '../dom.ts'
import { drawIcon } from '../picture.ts'

/** Remembers that the reader has switched the shortcuts off, which can get in the way of speech input (WCAG 2.1.4). */
const storageKey = 'rookery:keys-are-off'

/** What each key does. */
const actions: Readonly<Record<string, { readonly text: string; act(): void }>> = {
  j: { text: 'Next post', act: () => move(1) },
  k: { text: 'Previous post', act: () => move(-1) },
  l: { text: 'Like the post', act: () => press('.like') },
  r: { text: 'Reply to the post', act: () => press('.reply') },
  t: { text: 'Repost the post', act: () => press('.repost') },
  n: { text: 'Write a post', act: write },
  '/': { text: 'Search', act: () => byId('searched').focus() },
  '?': { text: 'Show keyboard shortcuts', act: open },
}

/** The post that has the focus, or in which something has it. */
const currentPost = () => document.activeElement?.closest<HTMLElement>('#list article')

function move(step: 1 | -1): void {
  const posts = [...document.querySelectorAll<HTMLElement>('#list article')]
  const current = currentPost()
  const at = current ? posts.indexOf(current) + step : 0
  const more = byId('more')
  const next = posts[at] ?? (at > 0 && !more.hidden ? more : undefined)
  next?.focus({ preventScroll: true })
  next?.scrollIntoView({ block: 'nearest' })
}

const press = (selector: string) => currentPost()?.querySelector<HTMLButtonElement>(selector)?.click()

/** Starts a new post, whose form is in the home view. */
function write(): void {
  const form = document.querySelector<HTMLElement>('#head textarea')
  if (form) form.focus()
  else location.hash = '#/new'
}

function open(): void {
  const rows = Object.entries(actions).map(([key, { text }]) => [
    element('dt', {}, element('kbd', {}, key)),
    element('dd', {}, text),
  ])
  const isOn = element('input', { type: 'checkbox', checked: localStorage.getItem(storageKey) === null })
  isOn.onchange = () => (isOn.checked ? localStorage.removeItem(storageKey) : localStorage.setItem(storageKey, 'off'))
  const close = element('button', { autofocus: true }, 'Close')
  const form = element(
    'form',
    { method: 'dialog' },
    element('h2', {}, 'Keyboard shortcuts'),
    element('dl', {}, ...rows.flat()),
    element('label', { className: 'choice' }, isOn, 'Use keyboard shortcuts'),
    close,
  )
  const dialog = element('dialog', { id: 'keys', className: 'own card', ariaLabel: 'Keyboard shortcuts' }, form)
  dialog.onclose = () => dialog.remove()
  document.body.append(dialog)
  dialog.showModal()
}

addEventListener('keydown', (event) => {
  const { key, target, ctrlKey, metaKey, altKey } = event
  const action = Object.hasOwn(actions, key) ? actions[key] : undefined
  const isTyping = target instanceof Element && target.matches('input, textarea, select')
  const isElsewhere = document.querySelector('dialog[open], :popover-open') !== null
  if (!action || isTyping || isElsewhere || ctrlKey || metaKey || altKey) return
  if (localStorage.getItem(storageKey) !== null) return
  event.preventDefault()
  action.act()
})
byId('show-keys').prepend(drawIcon(CircleQuestionMark))
byId('show-keys').onclick = open
