import type { HttpResponse } from '../../http/response.ts'
import { version } from '../../version.ts'
import { bar } from './bar.ts'
import type { DemoAccess } from './demo-access.ts'
import { type Offer, offered } from './offer.ts'
import { pageResponse } from './page.ts'

const places = [
  ['/timeline', 'Timeline', 'See the network: read, post, reply, like and follow, with the query behind each page.'],
  ['/graphql', 'GraphiQL', 'Write and run GraphQL, with samples and the whole schema.'],
  ['/api/v1/docs', 'REST', 'Read about every operation under /api/v1, and try it.'],
  ['/schema.graphql', 'schema.graphql', 'The GraphQL schema, for clients and generators.'],
  ['/api/v1/openapi.json', 'openapi.json', 'The OpenAPI document, for clients and generators.'],
] as const

const body = (offer: Offer) => `${bar('/', offer)}
<main>
<h1>Rookery</h1>
<p>A social network that is used only through its API. One query reads as deep as you like:</p>
<div class="live">
<section aria-label="Query"><pre id="query" tabindex="0"></pre></section>
<section aria-label="Response"><pre id="answer" tabindex="0" aria-live="polite"></pre></section>
</div>
<p class="next">${offer.hasGraphiQL ? '<a id="in-graphiql" href="/graphql">Change it in GraphiQL</a> ' : ''}<a href="/timeline">See it as a page</a></p>
<h2>From a shell</h2>
<pre id="curl" tabindex="0"></pre>
<h2>Where to go</h2>
<ul>
${offered(places, offer)
  .map(([path, name, what]) => `<li><a href="${path}"><strong>${name}</strong> ${what}</a></li>`)
  .join('\n')}
</ul>
</main>
<footer>Rookery ${version} · Health: <a href="/health/live">live</a>, <a href="/health/ready">ready</a></footer>`

/** `/`: a live query with its response, and links to everything else. */
export function landing(demo: DemoAccess | undefined, offer: Offer): Promise<HttpResponse> {
  return pageResponse({ title: 'Rookery', entry: 'landing.ts', body: body(offer), options: { token: demo?.token } })
}
