import { element } from './dom.ts'

/** What has a colour in GraphQL, JSON and SQL. What comes first in a text is found first, so a string may contain anything. */
const parts = new RegExp(
  [
    /(?<name>"(?:[^"\\]|\\.)*"(?=:))/,
    /(?<string>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/,
    /(?<variable>\$\w+)/,
    /(?<keyword>\b(?:query|mutation|subscription|fragment|on|select|from|where|and|is|not|null|order by|asc|desc|limit|offset|as|true|false)\b)/,
    /(?<number>\b\d+\b)/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'g',
)

/** Shows a text of one of these languages in an element, in colours. */
export function showCode(place: HTMLElement, text: string): void {
  let at = 0
  place.replaceChildren()
  for (const { 0: found, index, groups = {} } of text.matchAll(parts)) {
    const [className = ''] = Object.keys(groups).filter((kind) => groups[kind] !== undefined)
    place.append(text.slice(at, index), element('span', { className }, found))
    at = index + found.length
  }
  place.append(text.slice(at))
}
