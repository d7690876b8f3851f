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
export function byId<Type extends HTMLElement>(id: string, type: new () => Type): Type {
  const found = document.getElementById(id)
  if (found instanceof type) return found
  throw new Error(`The page has no #${id}.`)
}

/** Sets the query string of a link with this id. The page has no such link if its target is switched off. */
export function setSearch(id: string, parameters: Readonly<Record<string, string>>): void {
  const found = document.getElementById(id)
  if (found instanceof HTMLAnchorElement) found.search = String(new URLSearchParams(parameters))
}
