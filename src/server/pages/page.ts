import { html } from '../../engine/http/html.ts'
import type { HttpResponse } from '../../engine/http/response.ts'
import { signInUrl } from '../../features/applications/oauth/web-client.ts'
import type { Site } from './bar.ts'
import { bundleOf, type Entry } from './bundle.ts'
import type { DemoAccess } from './demo-access.ts'
import { logo } from './logo.ts'

/** An HTML page. All of it is trusted: what a request says becomes a part of it only where it was escaped. */
type Page = {
  readonly title: string
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
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml,${logo.replaceAll('#', '%23')}">
${styles.map((path) => `<link rel="stylesheet" href="${path}">\n`).join('')}${hasNoScript ? '' : imports.map((path) => `<link rel="modulepreload" href="${path}">\n`).join('')}</head>
<body data-prefix="${site.prefix}"${site.issuer ? html` data-sign-in="${signInUrl(site.issuer)}"` : ''}>
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

/**
 * The response with a page with one thing to do. It needs no script: the only button of a form that has no class `secondary` is solid. It may be in
 * a window in which somebody signs in to another site, whose page waits for the answer.
 */
export function smallPage({
  text,
  entry = 'problem.ts',
  ...page
}: Omit<Page, 'body' | 'entry' | 'demo' | 'nonce' | 'keepsOpener'> & {
  readonly text: string
  readonly entry?: Entry
}): Promise<HttpResponse> {
  const body = `<main class="own small">
<a class="brand" href="/">${logo}Rookery</a>
<section class="card">
<h1>${page.title}</h1>
${text}
</section>
</main>`
  return pageResponse({ ...page, entry, body, keepsOpener: true })
}
