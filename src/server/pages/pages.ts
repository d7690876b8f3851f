import { randomBytes } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { errorCodes, type Refusal } from '../../engine/errors.ts'
import { negotiatorFor } from '../../engine/http/compression.ts'
import { html } from '../../engine/http/html.ts'
import { problem } from '../../engine/http/problem.ts'
import type { HttpResponse } from '../../engine/http/response.ts'
import { pathOf, surfaceOf } from '../../engine/http/url.ts'
import { version } from '../../engine/package.ts'
import type { Admission } from '../../features/accounts/admission.ts'
import type { FormPage } from '../../features/applications/oauth/form-pages.ts'
import { bar, type DemoAccess, offered, pageResponse, type Site, signUpButton, smallPage } from './page.ts'

/**
 * A page with forms and styles, and a script only for passkeys. Browsers apply `form-action` to every redirect after a form, so a form
 * that may lead to an application, and from there anywhere, has none. Without a referrer they would say that forms are from nowhere.
 */
export async function formPageResponse(
  { title, body, hasPasskey = false, leadsOn = false, status = 200, retryAfter }: FormPage,
  site: Site,
): Promise<HttpResponse> {
  const policy = {
    ...(!hasPasskey && { 'script-src': '', 'require-trusted-types-for': '' }),
    'connect-src': '',
    'form-action': leadsOn ? '' : "'self'",
  }
  const page = {
    title: String(html`${title}`),
    text: String(body),
    entry: hasPasskey ? 'passkey.ts' : 'problem.ts',
    hasNoScript: !hasPasskey,
    referrer: 'same-origin',
    site,
    policy,
  } as const
  const response = await smallPage(page)
  const headers = { ...response.headers, ...(retryAfter !== undefined && { 'retry-after': String(retryAfter) }) }
  return { ...response, status, headers }
}

const pages: Readonly<Record<number, { readonly title: string; readonly text: string }>> = {
  401: {
    title: 'You need a token',
    text: `<p>This is an address of the REST API. Each request needs a bearer token in a header, which a browser does not send
      when you enter an address.</p>
<p>To get a token, sign up or sign in on one of the pages below. With a token, run this in a shell:</p>
<pre class="card" id="curl" tabindex="0"></pre>`,
  },
  404: { title: 'Page not found', text: '<p>The address is wrong, or what was here has been deleted.</p>' },
}

const links = `<ul>
<li><a href="/api/v1/docs">Try the operations in the REST docs</a></li>
<li><a href="/timeline">Open the timeline</a></li>
<li><a href="/">Go to the start page</a></li>
</ul>`

const waiting = {
  title: 'Please try again',
  text: '<p>The server has too many requests. Go back and try again in a minute.</p>',
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

/** Makes a page, filled in with the demo's token and targets if there is a demo. */
export type MakePage = (demo: DemoAccess | undefined, site: Site) => Promise<HttpResponse>

const places = [
  ['/timeline', 'Timeline', 'Read, post, reply, like and follow, and see the query behind each page.'],
  ['/graphql', 'GraphiQL', 'Write and run GraphQL, with samples and the whole schema at hand.'],
  ['/api/v1/docs', 'REST', 'Read about every operation under /api/v1, and try it.'],
  ['/schema.graphql', 'schema.graphql', 'The GraphQL schema, for clients and generators.'],
  ['/api/v1/openapi.json', 'openapi.json', 'The OpenAPI document, for clients and generators.'],
] as const

const linkToGraphiQL = (text: string, { graphiql }: Site) =>
  graphiql ? `<a id="in-graphiql" class="button" href="/graphql">${text}</a>` : ''

/** `/`: a live query with its response, and links to everything else. */
export const landing = (demo: DemoAccess | undefined, site: Site & { readonly admission: Admission }) => {
  const links = offered(places, site).map(
    ([path, name, what]) => `<li><a class="card" href="${path}"><strong>${name}</strong> ${what}</a></li>`,
  )
  const body = `${bar('/', site)}
<main class="own text">
<h1>A social network that you use through its API</h1>
<p class="lead">Posts, replies, likes and follows over GraphQL or REST, on your own server.</p>
<p class="buttons"><a class="button main" href="/timeline">Open the timeline</a>${signUpButton(site.admission) ?? ''}
${linkToGraphiQL('Run the query in GraphiQL', site)}</p>
<h2>One query, one SQL statement</h2>
<p>However deeply it is nested, a query becomes one statement, and PostgreSQL returns the JSON of the response. This one
  runs now, for your account:</p>
<div class="live">
<div>
<section class="card" aria-labelledby="query-title"><h3 id="query-title">Query</h3><pre id="query" tabindex="0"></pre></section>
<section class="card" aria-labelledby="answer-title"><h3 id="answer-title">Response</h3><pre id="answer" tabindex="0"
  aria-live="polite"></pre></section>
</div>
<section class="card" aria-labelledby="statement-title"><h3 id="statement-title">Statement</h3><pre id="statement"
  tabindex="0"></pre></section>
</div>
<h2>From a shell</h2>
<pre class="card" id="curl" tabindex="0"></pre>
<h2>Explore</h2>
<ul class="places">
${links.join('\n')}
</ul>
</main>
<footer class="own text">Rookery ${version} · Health: <a href="/health/live">live</a>, <a href="/health/ready">ready</a></footer>`
  return pageResponse({ entry: 'landing.ts', body, demo, site })
}

/** `/timeline`: a small client of the network, which shows the query behind each of its views. */
export const timeline: MakePage = (demo, site) => {
  const body = `${bar('/timeline', site)}
<main class="own">
<div id="side">
<form id="search" role="search"><input id="searched" type="search" maxlength="200" placeholder="Search" aria-label="Search"></form>
<nav id="views" aria-label="Views"><a href="#/">Home</a><a href="#/public">Public</a><a href="#/bookmarks">Bookmarks</a><a
  href="#/notifications" id="bell">Notifications</a></nav>
<button id="show-keys" class="bare">Shortcuts</button>
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
  return pageResponse({ entry: 'timeline.ts', body, demo, site })
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
  return pageResponse({ title: 'REST', entry: 'docs.ts', body, demo, policy, site })
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
  return pageResponse({ title: 'GraphiQL', entry: 'graphiql.tsx', body, demo, policy, nonce, site })
}
