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

/** What to show of an error. */
export const messageOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

/** Sets the query string of the link to GraphiQL. The page has no such link if GraphiQL is switched off. */
export function linkToGraphiQL(parameters: Readonly<Record<string, string>>): void {
  const link = document.getElementById('in-graphiql')
  if (link instanceof HTMLAnchorElement) link.search = String(new URLSearchParams(parameters))
}

/** Runs an action and shows its error at the top of the page. The control is disabled meanwhile, so that it acts once. */
export async function attempt(control: { disabled: boolean }, action: () => Promise<void>): Promise<void> {
  control.disabled = true
  byId('problem').textContent = await action().then(() => '', messageOf)
  control.disabled = false
}
