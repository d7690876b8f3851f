import './style-nonce.ts'
import '../bar.ts'
import '@graphiql/react/style.css'
import '@graphiql/plugin-doc-explorer/style.css'
import '@graphiql/plugin-history/style.css'
import 'graphiql/graphiql.css'
import './graphiql.css'
import 'graphiql/setup-workers/vite'
import { createLocalStorage } from '@graphiql/toolkit'
import { GraphiQL } from 'graphiql'
import { createRoot } from 'react-dom/client'
import { byId } from '../element.ts'
import { authorization, options } from '../session.ts'
import { CopyLink } from './copy-link.tsx'
import { FirstRun } from './first-run.tsx'

type Sample = { readonly query: string; readonly variables?: string }
type GraphiQLOptions = {
  readonly query?: string
  readonly variables?: string
  readonly headers?: string
  readonly samples: readonly Sample[]
  readonly signUp: Sample
}

const { query, variables, headers, samples, signUp }: GraphiQLOptions = Object(options.graphiQL)
const isOpened = query !== undefined

/** Sends an operation with the token in use, unless it has an `Authorization` of its own. */
async function fetcher(parameters: { readonly operationName?: string | null }, own: Record<string, string> = {}) {
  const sent = new Headers({ Accept: 'application/graphql-response+json, application/json' })
  // Everybody may read the schema: a token that is refused must not hide it.
  const added = parameters.operationName === 'IntrospectionQuery' ? {} : { ...authorization(), ...own }
  for (const [name, value] of Object.entries(added)) sent.set(name, value)
  sent.set('Content-Type', 'application/json')
  const response = await fetch('/graphql', { method: 'POST', headers: sent, body: JSON.stringify(parameters) })
  if (Object.keys(added).some((name) => name !== 'Authorization' && name.toLowerCase() === 'authorization')) {
    byId('who', HTMLOutputElement).value = 'The last request had an Authorization header of its own'
  }
  return response.json()
}

const tabs = [
  ...(isOpened ? [{ query, ...(variables && { variables }), ...(headers && { headers }) }] : []),
  ...(authorization().Authorization ? [] : [signUp]),
  ...samples,
]

const storage = createLocalStorage({ namespace: 'rookery' })
if (isOpened) {
  // GraphiQL stores these only once they are edited, and would open the tab without its variables next time.
  storage.setItem('graphiql:query', query)
  storage.setItem('graphiql:variables', variables ?? '')
}

createRoot(byId('root', HTMLElement)).render(
  <GraphiQL
    fetcher={(parameters, more) => fetcher(parameters, more?.headers)}
    storage={storage}
    shouldPersistHeaders={false}
    {...(isOpened && { initialQuery: query, initialVariables: variables ?? '', initialHeaders: headers ?? '' })}
    defaultTabs={tabs}
    defaultEditorToolsVisibility={variables ? 'variables' : headers ? 'headers' : false}
    schemaDescription
    inputValueDeprecation
  >
    <GraphiQL.Logo>
      <FirstRun isOpened={isOpened} />
    </GraphiQL.Logo>
    <GraphiQL.Toolbar>
      {({ prettify, merge, copy }) => (
        <>
          {prettify}
          {merge}
          {copy}
          <CopyLink />
        </>
      )}
    </GraphiQL.Toolbar>
  </GraphiQL>,
)
