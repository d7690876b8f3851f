import './bar.ts'
import '@graphiql/react/style.css'
import '@graphiql/plugin-doc-explorer/style.css'
import '@graphiql/plugin-history/style.css'
import 'graphiql/graphiql.css'
import './graphiql.css'
import 'graphiql/setup-workers/vite'
import 'monaco-graphql/esm/lite.js'
import { useGraphiQL, useGraphiQLActions } from '@graphiql/react'
import { createLocalStorage } from '@graphiql/toolkit'
import { GraphiQL } from 'graphiql'
import { useEffect, useRef } from 'react'
import { createRoot } from 'react-dom/client'
import { byId } from './dom.ts'
import { CopyButtons, showResponse, showStatus } from './graphiql/copy-buttons.tsx'
import { samples } from './graphiql/samples.ts'
import { post } from './graphql.ts'
import { resultsIn } from './server-sent-events.ts'
import { authorization } from './token.ts'

// The policy of the page allows style elements with its nonce only. The editor makes some but knows no nonce, so they get it here.
// Those in markup do not: a parser makes them.
const nonce = document.querySelector<HTMLScriptElement>('script[nonce]')?.nonce ?? ''
const { createElement } = Document.prototype

Object.assign(Document.prototype, {
  createElement(this: Document, name: string, options?: ElementCreationOptions): HTMLElement {
    const made = createElement.call(this, name, options)
    if (made instanceof HTMLStyleElement) made.nonce = nonce
    return made
  },
})

// GraphiQL would load its editor later.

const inAddress = new URLSearchParams(location.search)
const query = inAddress.get('query')
const variables = inAddress.get('variables') ?? ''
const headers = inAddress.get('headers') ?? ''
const opened = query === null ? undefined : { query, ...(variables && { variables }), ...(headers && { headers }) }

/** Sends an operation with the token in use, unless it has an `Authorization` of its own. */
async function fetcher(parameters: { readonly operationName?: string | null }, own: Record<string, string> = {}) {
  const sent = new Headers({ Accept: 'application/graphql-response+json, application/json, text/event-stream' })
  // Everybody may read the schema: a token that is refused must not hide it.
  const isIntrospection = parameters.operationName === 'IntrospectionQuery'
  const added = isIntrospection ? {} : { ...authorization(), ...own }
  for (const [name, value] of Object.entries(added)) sent.set(name, value)
  sent.set('Content-Type', 'application/json')
  const began = performance.now()
  showStatus('')
  const response = await post(parameters, sent)
  const isStream = response.headers.get('Content-Type') === 'text/event-stream'
  const result = isStream && response.body ? resultsIn(response.body) : await response.json()
  const hasOwn = Object.keys(own).some((name) => name.toLowerCase() === 'authorization')
  if (!isIntrospection) showResponse(response, performance.now() - began, hasOwn ? ['own Authorization header'] : [])
  return result
}

/** Runs the home timeline as soon as the page has opened with it, so that the first thing to see is a response. */
function FirstRun() {
  const { run } = useGraphiQLActions()
  const queryEditor = useGraphiQL((state) => state.queryEditor)
  const isReady = useGraphiQL((state) => Boolean(state.queryEditor && state.responseEditor && state.schema))
  const shown = useGraphiQL((state) => state.tabs[state.activeTabIndex]?.query ?? '')
  const isDone = useRef(false)
  useEffect(() => {
    if (matchMedia('(max-width: 45rem)').matches) queryEditor?.updateOptions({ wordWrap: 'on' })
  }, [queryEditor])
  useEffect(() => {
    if (!isReady || isDone.current) return
    isDone.current = true
    if (!opened && authorization().Authorization && /^query Home\b/m.test(shown)) run()
  }, [isReady, shown, run])
  return null
}

const storage = createLocalStorage({ namespace: 'rookery' })
const store = storage.setItem
// The history would keep the headers of what was run, and with them tokens.
storage.setItem = (key, value) => {
  const isHistory = key === 'graphiql:queries' || key === 'graphiql:favorites'
  store(
    key,
    isHistory ? JSON.stringify(JSON.parse(value), (name, part) => (name === 'headers' ? undefined : part)) : value,
  )
}
if (opened) {
  // GraphiQL stores these only once they are edited, and would open the tab without its variables next time.
  storage.setItem('graphiql:query', opened.query)
  storage.setItem('graphiql:variables', variables)
}

createRoot(byId('root')).render(
  <GraphiQL
    fetcher={(parameters, more) => fetcher(parameters, more?.headers)}
    storage={storage}
    shouldPersistHeaders={false}
    {...(opened && { initialQuery: opened.query, initialVariables: variables, initialHeaders: headers })}
    defaultTabs={opened ? [opened, ...samples] : [...samples]}
    defaultEditorToolsVisibility={variables ? 'variables' : headers ? 'headers' : false}
    schemaDescription
    inputValueDeprecation
  >
    <GraphiQL.Logo>
      <FirstRun />
    </GraphiQL.Logo>
    <GraphiQL.Toolbar>
      {({ prettify, merge, copy }) => (
        <>
          {prettify}
          {merge}
          {copy}
          <CopyButtons />
        </>
      )}
    </GraphiQL.Toolbar>
    <GraphiQL.Footer>
      <output id="status" />
    </GraphiQL.Footer>
  </GraphiQL>,
)
