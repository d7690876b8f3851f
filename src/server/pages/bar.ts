import type { Config } from '../../config.ts'

/** What pages depend on: what precedes all paths, and what exists for links. */
export type Site = Pick<Config, 'prefix' | 'graphiql' | 'introspection'>

const pages = [
  ['/', 'Rookery'],
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
 * The top of the page at `here`: links to the other pages, a menu with the token, and a notice for who is not signed in.
 * `src/browser/bar.ts` runs it.
 */
export function bar(here: (typeof pages)[number][0], site: Site): string {
  const links = offered(pages, site).map(
    ([path, name]) => `<a href="${path}"${path === here ? ' aria-current="page"' : ''}>${name}</a>`,
  )
  return `<header class="own bar">
<nav aria-label="Pages">${links.join('')}</nav>
<button id="who" popovertarget="menu"></button>
<div id="menu" class="card" popover role="dialog" aria-label="Token">
<p id="whose"></p>
<label>Token <input id="token" placeholder="rookery_…" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<button id="copy" hidden>Copy</button>
<button id="forget" hidden>Forget</button>
<button id="demo" hidden>Use the demo</button>
</div>
</header>
<section id="notice" class="own" aria-label="Account" hidden>
<span id="reason" role="status"></span>
<button id="sign-in">Sign in</button>
<button id="sign-up">Sign up</button>
</section>
<dialog id="account" class="own card" aria-labelledby="account-title"><form id="account-form">
<h2 id="account-title"></h2>
<label>Username <input id="username" autocomplete="username" autocapitalize="none" required></label>
<label id="email-label">E-mail <input id="email" type="email" autocomplete="email" required></label>
<label>Password <input id="password" type="password" autocomplete="current-password" required></label>
<p id="account-problem" role="alert"></p>
<button id="account-submit"></button>
<button id="account-cancel" type="button">Cancel</button>
</form></dialog>`
}
