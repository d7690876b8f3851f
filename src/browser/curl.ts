import { prefix } from './prefix.ts'

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
