import { createHash } from 'node:crypto'
import type { Answer } from '../answer.ts'

/** A page of HTML. All that is in it is trusted but the options, which may have text of a URL or a token. */
export type Page = {
  readonly title: string
  /** Its own rules, after those of the styles it links. */
  readonly style: string
  readonly body: string
  readonly styles?: readonly string[]
  readonly scripts?: readonly string[]
  /** What its own script finds as JSON in the element `options`. */
  readonly options?: unknown
  /** Its own script, which runs after the others. */
  readonly script?: string
  /** What its Content-Security-Policy permits beside its own styles and scripts. */
  readonly policy?: readonly string[]
}

const icon = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 32 32"><rect width="32" height="32" rx="7" fill="#2f6f5e"/><path fill="#fff" d="M5 24 14 9c2-4 9-4 10 1l4 2-4 1c0 8-6 12-13 11l-3 3z"/><circle cx="20" cy="10.5" r="1.3" fill="#2f6f5e"/></svg>`

const hashOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`

/** The colours of all pages, for light and dark. */
const colours = `
:root { color-scheme: light dark; --ground: #faf9f6; --card: #fff; --text: #22282a; --quiet: #5b6568; --line: #dcdfdc; --accent: #1f6653; }
@media (prefers-color-scheme: dark) {
  :root { --ground: #15191a; --card: #1e2425; --text: #e6eae8; --quiet: #a0abab; --line: #364042; --accent: #7fd1b9; }
}
`

/** The page as text, and the policy that permits what is in it. */
export function html(page: Page): { readonly text: string; readonly policy: string } {
  const { title, body, styles = [], scripts = [], options, script, policy = [] } = page
  const style = `${colours}${page.style}`
  // In a script element, no text must end it.
  const data = JSON.stringify(options)?.replaceAll('<', '\\u003c')
  const text = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${title}</title>
<link rel="icon" href="data:image/svg+xml,${encodeURIComponent(icon)}">
${styles.map((path) => `<link rel="stylesheet" href="${path}">\n`).join('')}<style>${style}</style>
</head>
<body>
${body}
${data === undefined ? '' : `<script type="application/json" id="options">${data}</script>\n`}${scripts
  .map((path) => `<script src="${path}"></script>\n`)
  .join('')}${script === undefined ? '' : `<script>${script}</script>\n`}</body>
</html>
`
  const own = [
    "default-src 'none'",
    ...(script === undefined ? [] : [`script-src 'self' ${hashOf(script)}`]),
    ...(policy.some((directive) => directive.startsWith('style-src ')) ? [] : [`style-src 'self' ${hashOf(style)}`]),
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ]
  return { text, policy: [...own, ...policy].join('; ') }
}

/** The headers of a page with this policy. */
export function pageHeaders(policy: string): Record<string, string> {
  return {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy': policy,
    'cross-origin-opener-policy': 'same-origin',
    'cross-origin-resource-policy': 'same-origin',
    'referrer-policy': 'no-referrer',
  }
}

/** Answers a page that may have a token in it: it is neither stored nor compressed, since its URL goes into it too. */
export function answerPage(page: Page): Answer {
  const { text, policy } = html(page)
  return { status: 200, headers: pageHeaders(policy), body: text }
}
