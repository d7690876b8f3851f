import { pick, ToolbarButton, tryParseJSONC, useGraphiQL } from '@graphiql/react'
import { stripIgnoredCharacters } from 'graphql'
import { curl } from '../code.ts'
import { byId, messageOf } from '../dom.ts'
import { prefix } from '../token.ts'

/** Shows a line below the response. */
export function showStatus(line: string): void {
  byId('status', HTMLOutputElement).value = line
}

/** Shows the status of a response, how many milliseconds it took, and what it cost. */
export function showResponse({ status, headers }: Response, ms: number, more: readonly string[]): void {
  const cost = headers.get('Rookery-Cost')
  const price = cost === null ? [] : [`cost ${Number(cost).toLocaleString('en')}`]
  showStatus([`Status ${status}`, `${Math.round(ms)} ms`, ...price, ...more].join(' · '))
}

/** What is in the editors. */
type Written = {
  readonly query: string
  readonly variables: string
  readonly headers: string
  /** The name of the operation to run, if there are several. */
  readonly operationName: string | undefined
  readonly isSubscription: boolean
}

/** The address at which GraphiQL opens with this query and its variables. Headers stay out of it. */
function linkTo({ query, variables }: Written): string {
  const parameters = new URLSearchParams({ query, ...(variables && { variables }) })
  return `${location.origin}${prefix}/graphql?${parameters}`
}

/** The command that sends this operation with its headers, but for the token. */
function commandFor({ query, variables, headers, operationName, isSubscription }: Written): string {
  const parameters = { query: stripIgnoredCharacters(query), variables: jsonIn('Variables', variables), operationName }
  const sent = Object.entries(jsonIn('Headers', headers) ?? {})
    .filter(([name]) => name.toLowerCase() !== 'authorization')
    .map(([name, value]) => [name, String(value)])
  return curl(parameters, { ...(isSubscription && { Accept: 'text/event-stream' }), ...Object.fromEntries(sent) })
}

function jsonIn(editor: string, text: string) {
  try {
    return tryParseJSONC(text)
  } catch (error) {
    throw new Error(`${editor} ${messageOf(error)}`)
  }
}

/** A button that copies what it makes of the editors. */
function Copy({ label, icon, make }: { label: string; icon: string; make: (written: Written) => string }) {
  const { queryEditor, variableEditor, headerEditor, operationName, operations } = useGraphiQL(
    pick('queryEditor', 'variableEditor', 'headerEditor', 'operationName', 'operations'),
  )
  const copy = async () => {
    try {
      const several = operations && operations.length > 1
      const running = several ? operations.find(({ name }) => name?.value === operationName) : operations?.[0]
      const text = make({
        query: queryEditor?.getValue() ?? '',
        variables: variableEditor?.getValue() ?? '',
        headers: headerEditor?.getValue() ?? '',
        operationName: several ? operationName : undefined,
        isSubscription: running?.operation === 'subscription',
      })
      // Only secure contexts have a clipboard.
      if (isSecureContext) await navigator.clipboard.writeText(text)
      showStatus(isSecureContext ? 'Copied' : text)
    } catch (error) {
      showStatus(messageOf(error))
    }
  }
  return (
    <ToolbarButton label={label} onClick={copy}>
      <svg className="graphiql-toolbar-icon" viewBox="0 0 24 24" fill="none" stroke="currentColor" aria-hidden="true">
        <path strokeWidth="2" strokeLinecap="round" strokeLinejoin="round" d={icon} />
      </svg>
    </ToolbarButton>
  )
}

const chain = 'M10 14a4 4 0 0 0 6 0l3-3a4 4 0 0 0-6-6l-1 1m2 4a4 4 0 0 0-6 0l-3 3a4 4 0 0 0 6 6l1-1'
const prompt = 'M4 6l6 6-6 6m9 0h7'

/** The buttons that copy what is in the editors: as an address, and as a command. */
export const CopyButtons = () => (
  <>
    <Copy label="Copy link" icon={chain} make={linkTo} />
    <Copy label="Copy as curl" icon={prompt} make={commandFor} />
  </>
)
