import type { HttpResponse } from '../../http/response.ts'
import { bar } from './bar.ts'
import type { DemoAccess } from './demo-access.ts'
import type { Offer } from './offer.ts'
import { pageResponse } from './page.ts'

const body = (offer: Offer) => `${bar('/timeline', offer)}
<main>
<nav id="views" aria-label="Views"><a href="#/">Home</a><a href="#/public">Public</a></nav>
<h1 id="title" tabindex="-1"></h1>
<details id="behind">
<summary>The query behind this page</summary>
${offer.hasGraphiQL ? '<p><a id="in-graphiql" href="/graphql">Run it in GraphiQL</a></p>' : ''}
<p>The closest REST call: <a id="in-rest" href="/api/v1/docs"></a></p>
<pre id="source" tabindex="0"></pre>
</details>
<p id="problem" role="alert"></p>
<div id="head"></div>
<div id="list"></div>
<button id="more" hidden>More</button>
</main>`

/** `/timeline`: a small client of the network, which shows the query behind each of its views. */
export function timeline(demo: DemoAccess | undefined, offer: Offer): Promise<HttpResponse> {
  const options = { token: demo?.token }
  return pageResponse({ title: 'Rookery', entry: 'timeline/main.ts', body: body(offer), options })
}
