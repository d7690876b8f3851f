import { randomBytes } from 'node:crypto'
import { errorCodes } from '../../errors.ts'
import type { HttpResponse } from '../../http/response.ts'
import { version } from '../../version.ts'
import { bar, offered, type Site } from './bar.ts'
import type { DemoAccess } from './demo-access.ts'
import { pageResponse } from './page.ts'

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
  graphiql ? `<a id="in-graphiql" href="/graphql">${text}</a>` : ''

/** `/`: a live query with its response, and links to everything else. */
export const landing: MakePage = (demo, site) => {
  const links = offered(places, site).map(
    ([path, name, what]) => `<li><a class="card" href="${path}"><strong>${name}</strong> ${what}</a></li>`,
  )
  const body = `${bar('/', site)}
<main class="own text">
<h1>Rookery</h1>
<p>A social network that is used only through its API. One query, up to 20 levels deep:</p>
<div class="live">
<section aria-label="Query"><pre class="card" id="query" tabindex="0"></pre></section>
<section aria-label="Response"><pre class="card" id="answer" tabindex="0" aria-live="polite"></pre></section>
</div>
<p>${linkToGraphiQL('Change it in GraphiQL', site)} <a href="/timeline">See it as a page</a></p>
<h2>From a shell</h2>
<pre class="card" id="curl" tabindex="0"></pre>
<h2>Where to go</h2>
<ul>
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
<nav id="views" aria-label="Views"><a href="#/">Home</a><a href="#/public">Public</a><a href="#/bookmarks">Bookmarks</a><a href="#/notifications" id="bell">Notifications</a>
<form id="search" role="search"><input id="searched" type="search" maxlength="200" placeholder="Search" aria-label="Search"></form></nav>
<h1 id="title" tabindex="-1"></h1>
<details id="behind" class="card">
<summary>The query behind this page</summary>
<p>${linkToGraphiQL('Run it in GraphiQL', site)}</p>
<p>The closest REST call: <a id="in-rest" href="/api/v1/docs"></a></p>
<pre id="source" tabindex="0"></pre>
</details>
<div id="head"></div>
<div id="list"></div>
<button id="more" hidden>More</button>
<p id="said" role="status"></p>
</main>`
  return pageResponse({ title: 'Rookery', entry: 'timeline.ts', body, demo, site })
}

/** `/api/v1/docs`: Swagger UI with the OpenAPI document, and a table of the error codes. */
export const docs: MakePage = (demo, site) => {
  const rows = Object.entries(errorCodes).map(
    ([code, { status, title }]) => `<tr><td><code>${code}</code></td><td>${status}</td><td>${title}</td></tr>`,
  )
  const body = `${bar('/api/v1/docs', site)}
<main>
<div id="docs"></div>
<section id="errors">
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
  const body = `${bar('/graphql', site)}\n<div id="root"></div>`
  return pageResponse({ title: 'Rookery GraphiQL', entry: 'graphiql.tsx', body, demo, policy, nonce, site })
}
