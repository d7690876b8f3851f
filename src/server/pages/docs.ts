import { errorCodes } from '../../errors.ts'
import type { HttpResponse } from '../../http/response.ts'
import { bar } from './bar.ts'
import type { DemoAccess } from './demo-access.ts'
import type { Offer } from './offer.ts'
import { pageResponse } from './page.ts'

const rows = Object.entries(errorCodes).map(
  ([code, { status, title }]) => `<tr><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`,
)

const body = (offer: Offer) => `${bar('/api/v1/docs', offer)}
<main>
<div id="docs"></div>
<section id="errors">
<h2>Error codes</h2>
<p>Every error is a problem document (RFC 9457), and its <code>code</code> is one of these:</p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>Title</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</section>
</main>`

/** `/api/v1/docs`: Swagger UI with the OpenAPI document, filled in with the demo's token and targets if there is a demo. */
export function docs(demo: DemoAccess | undefined, offer: Offer): Promise<HttpResponse> {
  return pageResponse({
    title: 'Rookery REST',
    entry: 'docs.ts',
    body: body(offer),
    options: { token: demo?.token, targets: demo?.targets ?? {} },
    // Swagger UI turns Markdown into markup.
    policy: { 'require-trusted-types-for': '' },
  })
}
