import type { Answer } from './answer.ts'
import { type SampleTargets, samples } from './samples.ts'

/** What the page has of the demo: a token that is put among the headers, and what the samples name. */
export type DemoAccess = { readonly token: string; readonly targets: SampleTargets }

const title = 'Rookery'

/** What the page may do: run its own script, talk to this server, and nothing else. */
const contentSecurityPolicy = [
  "default-src 'none'",
  "script-src 'unsafe-inline'",
  "style-src 'unsafe-inline'",
  "connect-src 'self'",
  "img-src 'self' data:",
  'font-src data:',
  'worker-src blob:',
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ')

// GraphiQL's headers may have comments. A made-up token would have even the schema refused.
const headersWithoutToken = `{
  // "Authorization": "Bearer rookery_..."
}`

// GraphiQL moves a tab that gets the focus to where it was when the page was laid out: the first click would miss it.
const style = '.graphiql-tab:focus-within { transform: none !important; }'

let parts: Promise<readonly string[]> | undefined

/** The page around the place of its options. It is large, so it is loaded when somebody asks for it, and rendered once. */
function aroundOptions(): Promise<readonly string[]> {
  parts ??= import('@graphql-yoga/render-graphiql').then(({ renderGraphiQL }) =>
    renderGraphiQL({ title }).replace('</style>', `${style}</style>`).split(JSON.stringify({ title })),
  )
  return parts
}

/** GraphiQL with everything in it, opened with the samples, or with what `query`, `variables` and `headers` of the URL say. */
export async function graphiQL(url: URLSearchParams, demo: DemoAccess | undefined): Promise<Answer> {
  const withToken = demo && JSON.stringify({ Authorization: `Bearer ${demo.token}` }, null, 2)
  const headers = url.get('headers') ?? withToken ?? headersWithoutToken
  const query = url.get('query')
  const tabs = samples(demo?.targets ?? {}).map((sample) => ({ query: sample, headers }))
  const options = {
    title,
    endpoint: '/graphql',
    initialHeaders: headers,
    defaultHeaders: headers,
    shouldPersistHeaders: false,
    // Nothing is kept in the browser, so neither an earlier token is in the way nor what another program left at this
    // address. The URL keeps the query that is being written.
    storage: null,
    variables: url.get('variables'),
    ...(query === null ? { defaultTabs: tabs } : { query }),
  }
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
    },
    // In a script element, text of a URL must not end it.
    body: (await aroundOptions()).join(JSON.stringify(options).replaceAll('<', '\\u003c')),
  }
}
