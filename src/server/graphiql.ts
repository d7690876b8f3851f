import { renderGraphiQL } from '@graphql-yoga/render-graphiql'
import type { Answer } from './answer.ts'
import { samples } from './samples.ts'

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

let parts: readonly string[] | undefined

/** The page, which is rendered once, around the place of its options. */
function aroundOptions(): readonly string[] {
  parts ??= renderGraphiQL({ title }).split(JSON.stringify({ title }))
  return parts
}

/** GraphiQL with everything in it, opened with the samples, or with what `query`, `variables` and `headers` of the URL say. */
export function graphiQL(url: URLSearchParams, token: string | undefined): Answer {
  const headers = url.get('headers') ?? JSON.stringify({ Authorization: `Bearer ${token ?? 'YOUR-TOKEN'}` }, null, 2)
  const query = url.get('query')
  const variables = url.get('variables')
  const options = {
    title,
    endpoint: '/graphql',
    headers,
    defaultHeaders: headers,
    shouldPersistHeaders: false,
    ...(query === null ? { defaultTabs: [{ query: samples, headers }] } : { query, variables }),
  }
  // In a script element, text of a URL must not end it.
  const script = JSON.stringify(options).replaceAll('<', '\\u003c')
  return {
    status: 200,
    headers: {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy': contentSecurityPolicy,
      'referrer-policy': 'no-referrer',
    },
    body: aroundOptions().join(script),
  }
}
