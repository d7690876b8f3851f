import { element } from './dom.ts'
import { prefix } from './token.ts'

const keywords = [
  ...['query', 'mutation', 'subscription', 'fragment', 'on', 'true', 'false', 'null'],
  ...['select', 'from', 'where', 'and', 'is', 'not', 'order by', 'asc', 'desc', 'limit', 'offset', 'as'],
]

/** What has a colour in GraphQL, JSON and SQL. What comes first in a text is found first, so a string may contain anything. */
const parts = new RegExp(
  [
    /(?<name>"(?:[^"\\]|\\.)*"(?=:))/,
    /(?<string>"(?:[^"\\]|\\.)*"|'(?:[^']|'')*')/,
    /(?<variable>\$\w+)/,
    new RegExp(`(?<keyword>\\b(?:${keywords.join('|')})\\b)`),
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

/** Text as one word of a shell. */
const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`

/** The command that sends a GraphQL request with the token in `$TOKEN`. */
export function curl(parameters: object, headers: Readonly<Record<string, string>> = {}): string {
  const sent = Object.entries({ 'Content-Type': 'application/json', ...headers })
  return [
    `curl -s ${location.origin}${prefix}/graphql`,
    '-H "Authorization: Bearer $TOKEN"',
    ...sent.map(([name, value]) => `-H ${quoted(`${name}: ${value}`)}`),
    `-d ${quoted(JSON.stringify(parameters))}`,
  ].join(' \\\n  ')
}
