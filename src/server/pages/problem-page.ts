import type { IncomingMessage } from 'node:http'
import { errorCodes, type Refusal } from '../../engine/errors.ts'
import { html } from '../../engine/http/html.ts'
import { negotiatorFor } from '../../engine/http/negotiation.ts'
import { problem } from '../../engine/http/problem.ts'
import type { HttpResponse } from '../../engine/http/response.ts'
import { pathOf, surfaceOf } from '../../engine/http/url.ts'
import type { Site } from './bar.ts'
import { smallPage } from './page.ts'

const pages: Readonly<Record<number, { readonly title: string; readonly text: string }>> = {
  401: {
    title: 'This needs a token',
    text: `<p>This is an address of the REST API. Each request needs a bearer token in a header, which browsers do not send from their address bar.</p>
<p>The pages below let you sign up or sign in, which gives you a token. From a shell:</p>
<pre class="card" id="curl" tabindex="0"></pre>`,
  },
  404: { title: 'There is nothing here', text: '<p>The address is wrong, or what was here is deleted.</p>' },
}

const links = `<ul>
<li><a href="/api/v1/docs">Try the operations in the REST docs</a></li>
<li><a href="/timeline">See the network as a page</a></li>
<li><a href="/">Start at the overview</a></li>
</ul>`

const waiting = {
  title: 'Please try again',
  text: '<p>There are too many requests. Go back, and try again in a minute.</p>',
}

/** What a browser shows of a refusal. Undefined for what only programs send. */
function pageOf({ method }: IncomingMessage, path: string, { code, message }: Refusal) {
  const { status, title } = errorCodes[code]
  const known = method === 'GET' || method === 'HEAD' ? pages[status] : undefined
  if (known) return { title: known.title, text: `${known.text}\n${links}` }
  // People read what their forms are answered.
  if (surfaceOf(path) !== 'other') return undefined
  return code === 'RATE_LIMITED' || code === 'UNAVAILABLE' ? waiting : { title, text: String(html`<p>${message}</p>`) }
}

/** A refusal as a page that says what to do, for browsers. Other clients get the problem document. */
export async function problemPage(message: IncomingMessage, refusal: Refusal, site: Site): Promise<HttpResponse> {
  const response = problem(refusal)
  const page = pageOf(message, pathOf(message), refusal)
  if (page === undefined) return response
  const types = ['application/problem+json', 'application/json', 'text/html']
  if (negotiatorFor(message.headers).mediaType(types) !== 'text/html') {
    return { ...response, headers: { ...response.headers, vary: 'Accept' } }
  }
  const { title, text } = page
  const shown = await smallPage({ title, text, site })
  return { ...shown, status: response.status, headers: { ...response.headers, ...shown.headers, vary: 'Accept' } }
}
