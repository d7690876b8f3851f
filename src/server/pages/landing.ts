import { kept } from '../documents/kept.ts'
import { html, pageHeaders } from './page.ts'

const style = `
body { margin: 0; background: var(--ground); color: var(--text); font: 1rem/1.5 system-ui, sans-serif; }
main { max-width: 44rem; margin: 0 auto; padding: clamp(1.5rem, 6vw, 4rem) 1.25rem; }
h1 { margin: 0; font-size: 2.25rem; letter-spacing: -0.02em; }
h1 + p { margin: 0.25rem 0 2rem; color: var(--quiet); font-size: 1.125rem; }
ul { margin: 0; padding: 0; list-style: none; display: grid; grid-template-columns: repeat(auto-fit, minmax(min(100%, 17rem), 1fr)); gap: 0.75rem; }
li a { display: block; height: 100%; box-sizing: border-box; padding: 1rem 1.125rem; border: 1px solid var(--line); border-radius: 0.625rem; background: var(--card); color: inherit; text-decoration: none; }
li a:hover, li a:focus-visible { border-color: var(--accent); }
a:focus-visible { outline: 2px solid var(--accent); outline-offset: 2px; }
strong { display: block; color: var(--accent); font-size: 1.0625rem; }
small { display: block; color: var(--quiet); font-size: 0.9375rem; }
footer { margin-top: 2rem; color: var(--quiet); font-size: 0.9375rem; }
footer a { color: var(--accent); }
code { font: 0.9em ui-monospace, monospace; overflow-wrap: anywhere; }
`

const places = [
  ['/graphql', 'GraphiQL', 'Write and run GraphQL, with samples and the whole schema at hand.'],
  ['/api/v1/docs', 'REST', 'Every endpoint under /api/v1, to read and to try.'],
  ['/schema.graphql', 'schema.graphql', 'The GraphQL schema, with what each field does and needs.'],
  ['/api/v1/openapi.json', 'openapi.json', 'The OpenAPI document, for clients and generators.'],
]

const body = `<main>
<h1>Rookery</h1>
<p>A social network that is used only through its API.</p>
<nav><ul>
${places.map(([path, name, what]) => `<li><a href="${path}"><strong>${name}</strong><small>${what}</small></a></li>`).join('\n')}
</ul></nav>
<footer>
<p>Calls take a token: <code>Authorization: Bearer rookery_…</code>. The mutations <code>signUp</code> and <code>signIn</code> need none, and give one.</p>
<p>Health: <a href="/health/live">live</a>, <a href="/health/ready">ready</a></p>
</footer>
</main>`

const { text, policy } = html({ title: 'Rookery', style, body })

/** `/`: where things are. It is the same for everybody. */
export const landing = kept(() => text, { ...pageHeaders(policy), 'cache-control': 'no-cache' })
