import type { IncomingMessage } from 'node:http'
import { negotiatorFor } from '../../http/negotiation.ts'
import type { HttpResponse } from '../../http/response.ts'
import type { Site } from './bar.ts'
import { pageResponse } from './page.ts'

const pages: Readonly<Record<number, { readonly title: string; readonly text: string }>> = {
  401: {
    title: 'This needs a token',
    text: `<p>This is an address of the REST API. Each request needs a bearer token in a header, which browsers do not send from their address bar.</p>
<p>The pages below let you sign up or sign in, which gives you a token. From a shell:</p>
<pre class="card" id="curl" tabindex="0"></pre>`,
  },
  404: { title: 'There is nothing here', text: '<p>The address is wrong, or what was here is deleted.</p>' },
}

/** A 401 or 404 as a page that says what to do, for browsers. Other clients get the problem document. */
export async function problemPage(message: IncomingMessage, response: HttpResponse, site: Site): Promise<HttpResponse> {
  const page = pages[response.status]
  if (page === undefined || (message.method !== 'GET' && message.method !== 'HEAD')) return response
  const types = ['application/problem+json', 'application/json', 'text/html']
  if (negotiatorFor(message.headers).mediaType(types) !== 'text/html') {
    return { ...response, headers: { ...response.headers, vary: 'Accept' } }
  }
  const { title, text } = page
  const body = `<main class="own text">
<h1>${title}</h1>
${text}
<ul>
<li><a href="/api/v1/docs">Try the operations in the REST docs</a></li>
<li><a href="/timeline">See the network as a page</a></li>
<li><a href="/">Start at the overview</a></li>
</ul>
</main>`
  const shown = await pageResponse({ title, entry: 'problem.ts', body, site })
  const { 'content-length': _, ...headers } = response.headers
  return { status: response.status, headers: { ...headers, ...shown.headers, vary: 'Accept' }, body: shown.body }
}
