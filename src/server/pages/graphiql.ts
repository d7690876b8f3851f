import type { Answer } from '../answer.ts'
import { assetPath } from './assets.ts'
import type { DemoAccess } from './demo-access.ts'
import { answerPage } from './page.ts'
import { samples } from './samples.ts'
import { tokenBar } from './token-bar.ts'

// GraphiQL's headers may have comments.
const noHeaders = `{
  // This would go before the token above:
  // "Authorization": "Bearer rookery_..."
}`

// GraphiQL moves a tab that gets the focus to where it was when the page was laid out: the first click would miss it.
const style = `${tokenBar.style}
body { display: flex; flex-direction: column; height: 100dvh; margin: 0; }
#root { flex: 1; min-height: 0; }
#root .graphiql-container { height: 100%; }
.graphiql-tab:focus-within { transform: none !important; }
@media (max-width: 45rem) {
  #graphiql-session { flex-direction: column; }
  #graphiql-session > .graphiql-horizontal-drag-bar, .graphiql-logo { display: none; }
}
`

// The schema is for everybody: a token that is refused must not hide it.
const script = `${tokenBar.script}
YogaGraphiQL.renderYogaGraphiQL(document.getElementById('root'), {
  ...options,
  additionalHeaders: ({ operationName, extensions }) =>
    operationName === 'IntrospectionQuery' ? {} : authorize(extensions?.headers),
})
`

/** GraphiQL with everything in it, opened with the samples, or with what `query`, `variables` and `headers` of the URL say. */
export async function graphiQL(url: URLSearchParams, demo: DemoAccess | undefined): Promise<Answer> {
  const headers = url.get('headers') ?? noHeaders
  const query = url.get('query')
  const tabs = samples(demo?.targets ?? {}).map((sample) => ({ query: sample, headers }))
  return answerPage({
    title: 'Rookery GraphiQL',
    style,
    styles: [await assetPath('graphiql.css')],
    scripts: [await assetPath('graphiql.js')],
    body: `${tokenBar.body('/graphql')}\n<div id="root"></div>`,
    options: {
      token: demo?.token,
      title: 'Rookery',
      endpoint: '/graphql',
      initialHeaders: headers,
      defaultHeaders: headers,
      shouldPersistHeaders: false,
      // Nothing is kept in the browser, so neither an earlier token is in the way nor what another program left at this
      // address. The URL keeps the query that is being written.
      storage: null,
      variables: url.get('variables'),
      ...(query === null ? { defaultTabs: tabs } : { query }),
    },
    script,
    // GraphiQL makes styles, and its editor makes workers.
    policy: ["style-src 'self' 'unsafe-inline'", "connect-src 'self'", 'font-src data:', 'worker-src blob:'],
  })
}
