import type { Config } from '../config.ts'
import { logo } from './logo.ts'

/** What pages depend on: what precedes all paths, what exists for links, and the authorization server, if there is one for them. */
export type Site = Pick<Config, 'prefix' | 'graphiql' | 'introspection'> & { readonly issuer?: string | undefined }

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
 * The top of the page at `here`: links to the other pages, a menu of the account with its token, and a notice for who is not signed in.
 * `src/browser/bar.ts` runs it.
 */
export function bar(here: (typeof pages)[number][0], site: Site): string {
  const links = offered(pages, site).map(
    ([path, name]) =>
      `<a href="${path}"${path === here ? ' aria-current="page"' : ''} aria-label="${name}">${path === '/' ? `${logo}<span>${name}</span>` : name}</a>`,
  )
  return `<header class="own bar">
<nav aria-label="Pages">${links.join('')}</nav>
<button id="who" popovertarget="menu"></button>
<div id="menu" class="card" popover role="dialog" aria-label="Account">
<p id="whose"></p>
<label>Token <input id="token" placeholder="rookery_…" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<p class="buttons"><button id="copy" hidden>Copy</button><button id="sign-out" hidden>Sign out</button><button id="demo" hidden>Use the demo</button></p>
</div>
</header>
<section id="notice" class="own" aria-label="Account" hidden>
<span id="reason" role="status"></span>
<button id="sign-in" class="main" hidden>Sign in</button>
</section>`
}
