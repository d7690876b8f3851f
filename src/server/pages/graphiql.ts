import { randomBytes } from 'node:crypto'
import type { HttpResponse } from '../../http/response.ts'
import { bar } from './bar.ts'
import type { DemoAccess } from './demo-access.ts'
import type { Offer } from './offer.ts'
import { pageResponse } from './page.ts'
import { samples, signUp } from './samples.ts'

/** GraphiQL, opened with samples, or with the `query`, `variables` and `headers` of the URL. */
export function graphiQL(url: URLSearchParams, demo: DemoAccess | undefined, offer: Offer): Promise<HttpResponse> {
  const nonce = randomBytes(16).toString('base64')
  const given = (name: string) => url.get(name) ?? undefined
  return pageResponse({
    title: 'Rookery GraphiQL',
    entry: 'graphiql/main.tsx',
    ahead: ['_monaco-editor.js', '../../node_modules/monaco-graphql/esm/lite.js'],
    body: `${bar('/graphql', offer)}\n<div id="root"></div>`,
    options: {
      token: demo?.token,
      graphiQL: {
        query: given('query'),
        variables: given('variables'),
        headers: given('headers'),
        samples: samples(demo?.targets ?? {}),
        signUp,
      },
    },
    // GraphiQL's editor makes style elements and markup with style attributes, has a font of symbols, and runs its language services
    // in workers.
    nonce,
    policy: {
      'style-src': `'self' 'nonce-${nonce}'`,
      'style-src-attr': "'unsafe-inline'",
      'font-src': "'self'",
      'worker-src': "'self'",
      'require-trusted-types-for': '',
    },
  })
}
