import type { HttpResponse } from '../../http/response.ts'
import type { Site } from './bar.ts'
import { bundleOf, type Entry } from './bundle.ts'
import type { DemoAccess } from './demo-access.ts'

/** An HTML page. All of it is trusted: what a request says never becomes a part of it. */
type Page = {
  readonly title: string
  /** Its `href`, `src` and `action` have no prefix yet. */
  readonly body: string
  readonly site: Site
  /** Its script, with the styles that this imports. */
  readonly entry: Entry
  /** Given to the script as JSON in the element `demo-access`. */
  readonly demo?: DemoAccess | undefined
  /** Changes to the directives of its Content-Security-Policy. An empty one is left out. */
  readonly policy?: Readonly<Record<string, string>>
  /** A nonce that the policy allows, for its script. */
  readonly nonce?: string
}

const icon = `<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 32 32'><rect width='32' height='32' rx='7' fill='#2f6f5e'/><path fill='#fff' d='M5 24 14 9c2-4 9-4 10 1l4 2-4 1c0 8-6 12-13 11l-3 3z'/></svg>`

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

/** The response with a page. It may contain a token, so it is not cached. */
export async function pageResponse({ title, body, site, entry, demo, policy, nonce }: Page): Promise<HttpResponse> {
  const { script, imports, styles } = await bundleOf(entry)
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml,${icon.replaceAll('#', '%23')}">
${styles.map((path) => `<link rel="stylesheet" href="${path}">\n`).join('')}${imports.map((path) => `<link rel="modulepreload" href="${path}">\n`).join('')}</head>
<body data-prefix="${site.prefix}">
${body}
<script type="application/json" id="demo-access">${JSON.stringify(demo ?? {})}</script>
<script type="module" src="${script}"${nonce === undefined ? '' : ` nonce="${nonce}"`}></script>
</body>
</html>
`
  const directives = Object.entries({ ...strictPolicy, ...policy }).filter(([, sources]) => sources !== '')
  const headers = {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': directives.map((directive) => directive.join(' ')).join('; '),
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
    'permissions-policy': 'camera=(), display-capture=(), geolocation=(), microphone=(), payment=(), usb=()',
  }
  return { status: 200, headers, body: text.replaceAll(/ (href|src|action)="\//g, ` $1="${site.prefix}/`) }
}
