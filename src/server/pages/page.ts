import { readFile } from 'node:fs/promises'
import type { IncomingMessage } from 'node:http'
import { createRequire } from 'node:module'
import { dirname } from 'node:path'
import { pathToFileURL } from 'node:url'
import { z } from 'zod'
import type { Services } from '../../engine/execution/request-context.ts'
import { Html, html } from '../../engine/http/html.ts'
import { isLoopback } from '../../engine/http/origin.ts'
import type { HttpResponse } from '../../engine/http/response.ts'
import type { Admission } from '../../features/accounts/admission.ts'
import { signInUrl } from '../../features/applications/oauth/web-client.ts'
import type { DemoTargets } from '../../features/demo/demo-token.ts'
import { contactLink } from '../../features/server-info/contact.ts'
import type { Config } from '../config.ts'

/** The demo's token, which pages fill in, and the uuids for their samples. */
export type DemoAccess = { readonly token: string; readonly targets: DemoTargets }

const forwarding = /^(?:origin|forwarded|via|x-forwarded-(?:for|host|proto)|x-real-ip)$/

/** The demo access for a page. Undefined unless a browser of this machine requested the page directly. */
export function demoFor(message: IncomingMessage, demo: DemoAccess | undefined): DemoAccess | undefined {
  const { headers, httpVersion, socket } = message
  // Excludes scripts of other sites, DNS rebinding, and proxies. Many proxies still speak HTTP/1.0, which no browser does.
  const isForwarded = httpVersion === '1.0' || Object.keys(headers).some((name) => forwarding.test(name))
  const isHere = isLoopback(headers.host ?? '') && isLoopback(socket.remoteAddress ?? '')
  return isHere && !isForwarded ? demo : undefined
}

/** The logo as SVG: a bird. Its quotes are single, for attributes. */
const logo =
  `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32' class='logo' aria-hidden='true'><rect ` +
  `width='32' height='32' rx='7' fill='#2f6f5e'/><path fill='#fff' d='M5 24 14 9c2-4 9-4 10 1l4 2-4 ` +
  `1c0 8-6 12-13 11l-3 3z'/></svg>`

/** What pages depend on: what the server says of itself, what precedes all paths, and what exists for links. */
export type Site = Pick<Config, 'prefix' | 'graphiql' | 'introspection'> &
  Pick<Services, 'siteName' | 'contact' | 'rules'> & {
    /** The authorization server, if there is one for pages. */
    readonly issuer?: string | undefined
    /** Whether the start page introduces this server, and not Rookery. */
    readonly introducesItself?: boolean
  }

const pages = [
  ['/', undefined],
  ['/timeline', 'Timeline'],
  ['/graphql', 'GraphiQL'],
  ['/api/v1/docs', 'REST'],
] as const

/** The places that exist, of some that begin with a path. */
export function offered<Place extends readonly [path: string, ...unknown[]]>(
  places: readonly Place[],
  { graphiql, introspection }: Site,
): Place[] {
  return places.filter(([path]) => (graphiql || path !== '/graphql') && (introspection || path !== '/schema.graphql'))
}

/**
 * The top of the page at `here`: links to the other pages, a menu of the account with its token, and a notice for who is not signed in.
 * `src/browser/bar.ts` runs it.
 */
export function bar(here: (typeof pages)[number][0], site: Site): string {
  const links = offered(pages, site).map(([path, name = site.siteName]) => {
    const shown = path === '/' ? html`${new Html(logo)}<span>${name}</span>` : name
    return html`<a href="${path}"${path === here ? html` aria-current="page"` : undefined} aria-label="${name}">${shown}</a>`
  })
  return `<header class="own bar">
<nav aria-label="Pages">${links.join('')}</nav>
<button id="who" popovertarget="menu"></button>
<div id="menu" class="card" popover role="dialog" aria-label="Account">
<p id="whose"></p>
<label>Token <input id="token" placeholder="rookery_…" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<p class="buttons"><button id="copy" hidden>Copy</button><button id="sign-out" hidden>Sign out</button><button id="demo"
  hidden>Use the demo</button></p>
</div>
</header>
<section id="notice" class="own" aria-label="Account" hidden>
<span id="reason" role="status"></span>
<button id="sign-in" class="main" hidden>Sign in</button>
</section>`
}

/** The button that leads to the page to sign up, where anybody can. */
export const signUpButton = ({ signUp }: Admission) =>
  signUp === 'closed' ? undefined : html`<a class="button" href="/sign-up">Sign up</a>`

/** The script of a page, in `src/browser`. */
type Entry =
  | 'about.ts'
  | 'landing.ts'
  | 'timeline.ts'
  | 'graphiql.tsx'
  | 'docs.ts'
  | 'callback.ts'
  | 'passkey.ts'
  | 'problem.ts'

// Made by `src/browser/build.js`.
const manifestFile = createRequire(import.meta.url).resolve('#browser/manifest.json')

/** The folder of the scripts and styles. Each has a compressed file beside it, with the extension `.br` or `.gz`. */
export const assetsFolder = dirname(manifestFile)

/** The path at which they are served. */
export const assetsPath = '/assets/'

const paths = z.array(z.string()).default([])
const manifestSchema = z.record(z.string(), z.object({ file: z.string(), imports: paths, css: paths }))
let manifest: z.infer<typeof manifestSchema> | undefined

const chunksOf = async () => {
  manifest ??= manifestSchema.parse(JSON.parse(await readFile(manifestFile, 'utf8')))
  return manifest
}

/** The texts of the GraphQL documents that the pages send. */
export async function pageDocuments(): Promise<ReadonlySet<string>> {
  const file = (await chunksOf())['documents.ts']?.file ?? ''
  const exported: Readonly<Record<string, unknown>> = await import(String(new URL(file, pathToFileURL(manifestFile))))
  return new Set(Object.values(exported).map(String))
}

/** The paths of what a page loads, which change with the content: its script, the scripts that are imported, and their styles. */
export async function bundleOf(entry: Entry) {
  const chunks = await chunksOf()
  const names = new Set<string>([entry])
  for (const name of names) for (const imported of chunks[name]?.imports ?? []) names.add(imported)
  const loaded = [...names].flatMap((name) => chunks[name] ?? [])
  const [script = '', ...imports] = loaded.map(({ file }) => assetsPath + file)
  // Those of imports come first, so that the page can override them.
  return { script, imports, styles: loaded.reverse().flatMap(({ css }) => css.map((file) => assetsPath + file)) }
}

/** An HTML page. All of it is trusted: what a request says becomes a part of it only where it was escaped. */
type Page = {
  /** What it is called within the site; undefined for a page that is called like the site. */
  readonly title?: string
  /** Its `href`, `src` and `action` have no prefix yet. */
  readonly body: string
  readonly site: Site
  /** Its script, with the styles that this imports. */
  readonly entry: Entry
  /** Whether it has the styles alone. */
  readonly hasNoScript?: boolean
  /** Given to the script as JSON in the element `demo-access`. */
  readonly demo?: DemoAccess | undefined
  /** Changes to the directives of its Content-Security-Policy. An empty one is left out. */
  readonly policy?: Readonly<Record<string, string>>
  /** A nonce that the policy allows, for its script. */
  readonly nonce?: string
  /** Whether it keeps its ties to the page of another site that has opened it. */
  readonly keepsOpener?: boolean
  /** To which origins its requests say where they are from. */
  readonly referrer?: 'no-referrer' | 'same-origin'
}

/** Scripts and styles are files of this origin, and scripts cannot turn text into markup. */
const strictPolicy = {
  'default-src': "'none'",
  'script-src': "'self'",
  'style-src': "'self'",
  'connect-src': "'self'",
  'img-src': 'data:',
  'base-uri': "'none'",
  'form-action': "'none'",
  'frame-ancestors': "'none'",
  'require-trusted-types-for': "'script'",
}

const linksTo = (relation: string, paths: readonly string[]) =>
  paths.map((path) => `<link rel="${relation}" href="${path}">\n`).join('')

/** The response with a page. */
export async function pageResponse({
  title,
  body,
  site,
  entry,
  hasNoScript,
  demo,
  policy,
  nonce,
  keepsOpener,
  referrer = 'no-referrer',
}: Page): Promise<HttpResponse> {
  const { script, imports, styles } = await bundleOf(entry)
  const scripts = `<script type="application/json" id="demo-access">${JSON.stringify(demo ?? {})}</script>
<script type="module" src="${script}"${nonce === undefined ? '' : ` nonce="${nonce}"`}></script>`
  const siteName = html`${site.siteName}`
  const signIn = site.issuer ? html` data-sign-in="${signInUrl(site.issuer)}"` : ''
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title === undefined ? '' : `${title} – `}${siteName}</title>
<link rel="icon" href="data:image/svg+xml,${logo.replaceAll('#', '%23')}">
${linksTo('stylesheet', styles)}${hasNoScript ? '' : linksTo('modulepreload', imports)}</head>
<body data-prefix="${site.prefix}" data-site-name="${siteName}"${signIn}>
${body}
${hasNoScript ? '' : scripts}
</body>
</html>
`
  const directives = Object.entries({ ...strictPolicy, ...policy }).filter(([, sources]) => sources !== '')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    ...(demo && { 'cache-control': 'no-store' }),
    'content-security-policy': directives.map((directive) => directive.join(' ')).join('; '),
    // A page may open others, such as that of a sign-in.
    ...(!keepsOpener && { 'cross-origin-opener-policy': 'same-origin-allow-popups' }),
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': referrer,
    'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  }
  return { status: 200, headers, body: text.replaceAll(/ (href|src|action)="\//g, ` $1="${site.prefix}/`) }
}

/** Links to the rules of the server and to its operator, as far as there are any. */
function siteLinks({ introducesItself, rules, contact }: Site): Html | undefined {
  const links = [
    introducesItself && rules !== undefined && html`<a href="/#rules">Rules</a>`,
    contact !== undefined && contactLink(contact, 'Contact'),
  ].filter((link) => link !== undefined && link !== false)
  return links.length === 0 ? undefined : html`<footer>${links}</footer>`
}

/**
 * The response with a page with one thing to do. It needs no script: the only button of a form that has no class `secondary` is
 * solid. It may be in a window in which somebody signs in to another site, whose page waits for the answer.
 */
export function smallPage({
  text,
  entry = 'problem.ts',
  ...page
}: Omit<Page, 'title' | 'body' | 'entry' | 'demo' | 'nonce' | 'keepsOpener'> & {
  readonly title: string
  readonly text: string
  readonly entry?: Entry
}): Promise<HttpResponse> {
  const body = `<main class="own small">
<a class="brand" href="/">${logo}${html`${page.site.siteName}`}</a>
<section class="card">
<h1>${page.title}</h1>
${text}
</section>
${siteLinks(page.site) ?? ''}
</main>`
  return pageResponse({ ...page, entry, body, keepsOpener: true })
}
