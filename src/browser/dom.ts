import { prefix } from './token.ts'

/** Makes an element. Strings become text, never markup. */
export function element<Tag extends keyof HTMLElementTagNameMap>(
  tag: Tag,
  properties: Partial<HTMLElementTagNameMap[Tag]>,
  ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[Tag] {
  const made = Object.assign(document.createElement(tag), properties)
  made.append(...children)
  return made
}

/** The element of the page with this id. */
export function byId<Type extends HTMLElement = HTMLElement>(id: string, type?: new () => Type): Type
export function byId(id: string, type: new () => HTMLElement = HTMLElement): HTMLElement {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new Error(`The page has no #${id}.`)
}

/** The message of an error. */
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** The message of an error with its links. That of a suspended account leads to the page to appeal. */
export function messageParts(error: unknown): readonly (Node | string)[] {
  const isSuspended = error instanceof Error && error.cause === 'ACCOUNT_SUSPENDED'
  const appeal = isSuspended ? [' · ', element('a', { href: `${prefix}/appeal` }, 'Appeal')] : []
  return [...linkedContact(error), ...appeal]
}

/** The message of an error, in which the contact that it may end with is a link. What comes before may also have it. */
function linkedContact(error: unknown): readonly (Node | string)[] {
  const message = messageOf(error)
  const contact = error instanceof Error && 'contact' in error ? String(error.contact ?? '') : ''
  const start = contact === '' ? -1 : message.lastIndexOf(contact)
  if (start < 0) return [message]
  const href = contact.startsWith('https:') ? contact : `mailto:${contact}`
  return [message.slice(0, start), element('a', { href }, contact), message.slice(start + contact.length)]
}

/** Sets the query string of the link to GraphiQL. The page has no such link if GraphiQL is switched off. */
export function linkToGraphiQL(parameters: Readonly<Record<string, string>>): void {
  const link = document.getElementById('in-graphiql')
  if (link instanceof HTMLAnchorElement) link.search = String(new URLSearchParams(parameters))
}

/** Shows why the reader has to sign in, with a button to do so, or hides both if there is no reason. */
export function askToSignIn(reason: string): void {
  byId('reason').textContent = reason
  byId('notice').hidden = reason === ''
}

/**
 * Runs an action and shows its error below the control, which is disabled meanwhile, so that it acts once. An error of a field can
 * have another place.
 */
export async function attempt(
  control: HTMLButtonElement,
  action: () => Promise<void>,
  placeOf: (error: unknown) => HTMLElement = () => control,
): Promise<void> {
  const shown = control.form?.querySelector('[role="alert"]') ?? control.nextElementSibling
  if (shown?.role === 'alert') shown.remove()
  const isFocused = control === document.activeElement
  control.disabled = true
  try {
    await action()
  } catch (error) {
    if (error instanceof Error && error.cause === 'UNAUTHENTICATED') askToSignIn(error.message)
    else placeOf(error).after(element('p', { role: 'alert' }, ...messageParts(error)))
  } finally {
    control.disabled = false
    // Disabled elements lose the focus.
    if (isFocused && document.activeElement === document.body) control.focus()
  }
}
