import { randomBytes } from 'node:crypto'
import { errorCodes } from '../../engine/errors.ts'
import type { HttpResponse } from '../../engine/http/response.ts'
import { version } from '../../engine/version.ts'
import { bar, offered, type Site } from './bar.ts'
import type { DemoAccess } from './demo-access.ts'
import { pageResponse, smallPage } from './page.ts'

/** Makes a page, filled in with the demo's token and targets if there is a demo. */
export type MakePage = (demo: DemoAccess | undefined, site: Site) => Promise<HttpResponse>

const places = [
  ['/timeline', 'Timeline', 'See the network: read, post, reply, like and follow, with the query behind each page.'],
  ['/graphql', 'GraphiQL', 'Write and run GraphQL, with samples and the whole schema.'],
  ['/api/v1/docs', 'REST', 'Read about every operation under /api/v1, and try it.'],
  ['/schema.graphql', 'schema.graphql', 'The GraphQL schema, for clients and generators.'],
  ['/api/v1/openapi.json', 'openapi.json', 'The OpenAPI document, for clients and generators.'],
] as const

const linkToGraphiQL = (text: string, { graphiql }: Site) =>
  graphiql ? `<a id="in-graphiql" class="button" href="/graphql">${text}</a>` : ''

/** `/`: a live query with its response, and links to everything else. */
export const landing: MakePage = (demo, site) => {
  const links = offered(places, site).map(
    ([path, name, what]) => `<li><a class="card" href="${path}"><strong>${name}</strong> ${what}</a></li>`,
  )
  const body = `${bar('/', site)}
<main class="own text">
<h1>A social network that you use through its API</h1>
<p class="lead">Posts, replies, likes and follows over GraphQL or REST, on your own server.</p>
<p class="buttons"><a class="button main" href="/timeline">Open the timeline</a>${linkToGraphiQL('Run the query in GraphiQL', site)}</p>
<h2>One query, one SQL statement</h2>
<p>However deep a query is, it becomes one statement, and PostgreSQL returns the JSON of the response. This one runs now, as you:</p>
<div class="live">
<div>
<section class="card" aria-labelledby="query-title"><h3 id="query-title">Query</h3><pre id="query" tabindex="0"></pre></section>
<section class="card" aria-labelledby="answer-title"><h3 id="answer-title">Response</h3><pre id="answer" tabindex="0" aria-live="polite"></pre></section>
</div>
<section class="card" aria-labelledby="statement-title"><h3 id="statement-title">Statement</h3><pre id="statement" tabindex="0"></pre></section>
</div>
<h2>From a shell</h2>
<pre class="card" id="curl" tabindex="0"></pre>
<h2>Where to go</h2>
<ul class="places">
${links.join('\n')}
</ul>
</main>
<footer class="own text">Rookery ${version} · Health: <a href="/health/live">live</a>, <a href="/health/ready">ready</a></footer>`
  return pageResponse({ title: 'Rookery', entry: 'landing.ts', body, demo, site })
}

/** `/timeline`: a small client of the network, which shows the query behind each of its views. */
export const timeline: MakePage = (demo, site) => {
  const body = `${bar('/timeline', site)}
<main class="own">
<div id="side">
<form id="search" role="search"><input id="searched" type="search" maxlength="200" placeholder="Search" aria-label="Search"></form>
<nav id="views" aria-label="Views"><a href="#/">Home</a><a href="#/public">Public</a><a href="#/bookmarks">Bookmarks</a><a href="#/notifications" id="bell">Notifications</a></nav>
<button id="show-keys" class="bare">Keys</button>
</div>
<details id="behind" class="card">
<summary>The query behind this page</summary>
<p class="buttons">${linkToGraphiQL('Run it in GraphiQL', site)}</p>
<pre id="source" tabindex="0"></pre>
<p>The closest REST call: <a id="in-rest" href="/api/v1/docs"></a></p>
</details>
<div id="view">
<h1 id="title" tabindex="-1"></h1>
<div id="head"></div>
<div id="list"></div>
<p id="none"></p>
<button id="more" hidden>More</button>
<p id="said" role="status"></p>
</div>
</main>`
  return pageResponse({ title: 'Rookery', entry: 'timeline.ts', body, demo, site })
}

/** `/oauth/callback`: ends a sign-in of the other pages. It has no demo token. */
export const callback: MakePage = (_demo, site) =>
  smallPage({ title: 'Sign in', entry: 'callback.ts', text: '<p id="said" role="status"></p>', site })

/** `/api/v1/docs`: Swagger UI with the OpenAPI document, and a table of the error codes. */
export const docs: MakePage = (demo, site) => {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, title }]) => `<tr><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`,
  )
  const body = `${bar('/api/v1/docs', site)}
<main class="docs">
<nav id="objects" class="own" aria-label="Objects"></nav>
<div id="docs"></div>
<section id="errors" class="own">
<h2>Error codes</h2>
<p>Errors are problem documents (RFC 9457). Their <code>code</code>, like that of GraphQL errors, is one of these:</p>
<table>
<thead><tr><th>Code</th><th>Status</th><th>Title</th></tr></thead>
<tbody>
${rows.join('\n')}
</tbody>
</table>
</section>
</main>`
  // Swagger UI turns Markdown into markup.
  const policy = { 'require-trusted-types-for': '' }
  return pageResponse({ title: 'Rookery REST', entry: 'docs.ts', body, demo, policy, site })
}

/** `/graphql`: GraphiQL, which opens with samples, or with the `query`, `variables` and `headers` of its URL. */
export const graphiQL: MakePage = (demo, site) => {
  const nonce = randomBytes(16).toString('base64')
  // Its editor makes style elements and markup with style attributes, has a font of symbols, and runs its language services in workers.
  const policy = {
    'style-src': `'self' 'nonce-${nonce}'`,
    'style-src-attr': "'unsafe-inline'",
    'font-src': "'self'",
    'worker-src': "'self'",
    'require-trusted-types-for': '',
  }
  const body = `${bar('/graphql', site)}\n<div role="main">\n<h1 class="unseen">GraphiQL</h1>\n<div id="root"></div>\n</div>`
  return pageResponse({ title: 'Rookery GraphiQL', entry: 'graphiql.tsx', body, demo, policy, nonce, site })
}
