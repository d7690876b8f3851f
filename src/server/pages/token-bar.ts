/** A bar above a workbench: ways to the other pages, a field for the token, and a word on which token is used. */
export const tokenBar = {
  style: `
.token-bar { display: flex; flex-wrap: wrap; align-items: center; gap: 0.5rem 1rem; padding: 0.5rem 1rem; border-bottom: 1px solid var(--line); background: var(--card); color: var(--text); font: 0.9375rem/1.4 system-ui, sans-serif; }
.token-bar nav { display: flex; gap: 1rem; }
.token-bar a { color: var(--accent); text-decoration: none; }
.token-bar a:hover { text-decoration: underline; }
.token-bar a[aria-current] { color: inherit; font-weight: 600; }
.token-bar label { display: flex; flex: 1 1 20rem; align-items: center; gap: 0.5rem; white-space: nowrap; }
.token-bar input { flex: 1; min-width: 0; box-sizing: border-box; margin: 0; padding: 0.3rem 0.5rem; border: 1px solid var(--line); border-radius: 0.375rem; background: var(--ground); color: inherit; font: 0.875rem/1.5 ui-monospace, monospace; }
.token-bar button { padding: 0.3rem 0.625rem; border: 1px solid var(--line); border-radius: 0.375rem; background: none; color: var(--accent); font: inherit; cursor: pointer; }
.token-bar :is(a, input, button):focus-visible { outline: 2px solid var(--accent); outline-offset: 1px; }
.token-bar [hidden] { display: none; }
.token-bar output { flex: 0 1 auto; color: var(--quiet); }
`,

  /** The bar on the page at `here`. */
  body(here: '/graphql' | '/api/v1/docs'): string {
    const place = (path: string, name: string) =>
      `<a href="${path}"${path === here ? ' aria-current="page"' : ''}>${name}</a>`
    return `<header class="token-bar">
<nav>${place('/', 'Rookery')}${place('/graphql', 'GraphiQL')}${place('/api/v1/docs', 'REST')}</nav>
<label>Token <input id="token" placeholder="rookery_…" autocomplete="off" autocapitalize="off" spellcheck="false"></label>
<button id="demo-token" type="button" hidden>Use the demo’s token</button>
<output id="token-in-use" for="token"></output>
</header>`
  },

  /**
   * Makes `authorize(own)`, which answers the headers to add to a request that has the headers `own`. An `Authorization` among
   * those goes before the field, and the bar says so. The demo's token is `options.token`. Nothing is kept in the browser.
   */
  script: `
const { token: demoToken, ...options } = JSON.parse(document.getElementById('options').textContent)
const field = document.getElementById('token')
const demoButton = document.getElementById('demo-token')
const inUse = document.getElementById('token-in-use')
const typed = () => field.value.trim().replace(/^Bearer +/i, '')
// RFC 6750, section 2.1
const isToken = () => /^[A-Za-z0-9._~+\\/-]+=*$/.test(typed())
function tell() {
  demoButton.hidden = demoToken === undefined || typed() === demoToken
  inUse.value = !typed() ? 'Without a token' : !isToken() ? 'Not a token, so none is sent' : typed() === demoToken ? 'With the demo’s token' : 'With this token'
}
function authorize(own) {
  tell()
  const hasOwn = Object.keys(own ?? {}).some((name) => name.toLowerCase() === 'authorization')
  if (hasOwn) inUse.value = 'The last request had an Authorization of its own'
  return hasOwn || !isToken() ? {} : { Authorization: 'Bearer ' + typed() }
}
field.value = demoToken ?? ''
field.addEventListener('input', tell)
demoButton.addEventListener('click', () => { field.value = demoToken; tell() })
tell()
`,
} as const
