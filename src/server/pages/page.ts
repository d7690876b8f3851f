import type { HttpResponse } from '../../http/response.ts'
import { bundleOf, type Entry } from './bundle.ts'

/** An HTML page. All of it is trusted except the options, which may contain text from a URL or a token. */
export type HtmlPage = {
  readonly title: string
  readonly body: string
  /** Its script, with the styles that this imports. */
  readonly entry: Entry
  /** Chunks that the script certainly loads later, by their names in the manifest: the browser fetches them at once. */
  readonly ahead?: readonly string[]
  /** Passed to the script as JSON in the element `options`. */
  readonly options?: unknown
  /** Changes to the directives of its Content-Security-Policy. */
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

/** The response with a page. It may contain a token and text from its URL, so it is not cached. */
export async function pageResponse({
  title,
  body,
  entry,
  ahead,
  options = {},
  policy = {},
  nonce,
}: HtmlPage): Promise<HttpResponse> {
  const { script, imports, styles } = await bundleOf(entry, ahead)
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml,${icon.replaceAll('#', '%23')}">
${styles.map((path) => `<link rel="stylesheet" href="${path}">\n`).join('')}${imports.map((path) => `<link rel="modulepreload" href="${path}">\n`).join('')}</head>
<body>
${body}
<script type="application/json" id="options">${
    // `</script>` in a text would end the element.
    JSON.stringify(options).replaceAll('<', '\\u003c')
  }</script>
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
  return { status: 200, headers, body: text }
}
