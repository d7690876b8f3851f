/** What pages depend on. */
export type Site = {
  /** What precedes all paths. */
  readonly prefix: string
  /** What an operator can switch off, so that no page links to it then. */
  readonly hasGraphiQL: boolean
  readonly hasSchema: boolean
}

const pages = [
  ['/', 'Rookery'],
  ['/timeline', 'Timeline'],
  ['/graphql', 'GraphiQL'],
  ['/api/v1/docs', 'REST'],
] as const

/** The places that exist, of some that begin with a path. */
export function offered<Place extends readonly [path: string, ...unknown[]]>(
  places: readonly Place[],
  { hasGraphiQL, hasSchema }: Site,
): Place[] {
  return places.filter(([path]) => (hasGraphiQL || path !== '/graphql') && (hasSchema || path !== '/schema.graphql'))
}

/** The bar at the top of the page at `here`: the other pages, the account, and the token. `src/browser/bar.ts` runs it. */
export function bar(here: (typeof pages)[number][0], site: Site): string {
  const links = offered(pages, site).map(
    ([path, name]) => `<a href="${path}"${path === here ? ' aria-current="page"' : ''}>${name}</a>`,
  )
  return `<header class="own bar">
<nav aria-label="Pages">${links.join('')}</nav>
<output id="who"></output>
<button id="sign-in" hidden>Sign in</button>
<button id="sign-up" hidden>Sign up</button>
<button id="demo" hidden>Use the demo</button>
<label>Token <input id="token" placeholder="rookery_…" autocomplete="off" autocapitalize="none" spellcheck="false"></label>
<button id="copy" hidden>Copy</button>
<button id="forget" hidden>Forget</button>
</header>
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
