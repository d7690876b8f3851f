/** A page that a browser has loaded: its URL after all redirects, or the one at which the browser left the server. */
export type Loaded = {
  readonly url: string
  readonly status: number
  readonly text: string
  readonly headers: Headers
}

const decoded = (text: string) => text.replaceAll(/&#(\d+);/g, (_, code) => String.fromCharCode(Number(code)))

/** A browser without scripts: it follows redirects on one server, keeps cookies by their paths, and fills in forms. */
export class OAuthBrowser {
  readonly #origin: string
  readonly #listening: string
  readonly #cookies = new Map<string, { readonly pair: string; readonly path: string }>()
  /** All `Set-Cookie` headers that it got. */
  readonly received: string[] = []

  /** A server at a public URL can listen at another origin. */
  constructor(origin: string, listening = origin) {
    this.#origin = origin
    this.#listening = listening
  }

  /** The values of its cookies. */
  get secrets(): string[] {
    return [...this.#cookies.values()].map(({ pair }) => pair.slice(pair.indexOf('=') + 1))
  }

  /** The header with its cookies for a path. */
  cookieFor(path: string): Record<string, string> {
    const sent = [...this.#cookies.values()].filter((cookie) => path.startsWith(cookie.path))
    return sent.length > 0 ? { cookie: sent.map(({ pair }) => pair).join('; ') } : {}
  }

  #keep(line: string): void {
    this.received.push(line)
    const [pair = '', ...attributes] = line.split('; ')
    const path = attributes.find((part) => part.startsWith('path='))?.slice('path='.length) ?? '/'
    const key = `${pair.split('=')[0]} ${path}`
    if (line.includes('expires=Thu, 01 Jan 1970')) this.#cookies.delete(key)
    else this.#cookies.set(key, { pair, path })
  }

  /** Opens a URL, and follows redirects until they leave the server. */
  async open(url: string, init: RequestInit = {}): Promise<Loaded> {
    const { pathname } = new URL(url)
    const headers = { accept: 'text/html', ...this.cookieFor(pathname), ...Object(init.headers) }
    const response = await fetch(url.replace(this.#origin, this.#listening), { ...init, redirect: 'manual', headers })
    for (const line of response.headers.getSetCookie()) this.#keep(line)
    const { status, headers: received } = response
    const text = await response.text()
    const location = received.get('location')
    if (location === null) return { url, status, text, headers: received }
    const next = new URL(location, url)
    return next.origin === this.#origin ? this.open(next.href) : { url: next.href, status, text, headers: received }
  }

  /** Sends the first form of a page, with its hidden fields and these. */
  async submit(
    { text, url }: Loaded,
    fields: Record<string, string | readonly string[]>,
    headers = {},
  ): Promise<Loaded> {
    const action = /<form method="post" action="([^"]+)"/.exec(text)?.[1]
    if (action === undefined) throw new TypeError(`There is no form at ${url}: ${text}`)
    const body = new URLSearchParams()
    for (const [, name = '', value = ''] of text.matchAll(/type="hidden" name="([^"]+)" value="([^"]*)"/g))
      body.append(name, decoded(value))
    for (const [name, value] of Object.entries(fields)) for (const one of [value].flat()) body.append(name, one)
    return this.open(new URL(decoded(action), url).href, {
      method: 'POST',
      body,
      headers: { 'sec-fetch-site': 'same-origin', ...headers },
    })
  }
}

/** The scopes that a page of consent offers. */
export const scopesOffered = ({ text }: Loaded): string[] =>
  [...text.matchAll(/name="scope" value="([^"]+)"/g)].flatMap(([, value]) => value ?? [])

/** The heading of a page. */
export const headingOf = ({ text }: Loaded): string => decoded(/<h1>(.*?)<\/h1>/.exec(text)?.[1] ?? text)

/** The problem that a form shows: that of the whole form, or of a field after its name. */
export const problemOf = ({ text }: Loaded): string | undefined => {
  const [, field, problem] = /<(?:p|span) role="alert"(?: id="wrong-(\w+)")?>(.*?)<\/(?:p|span)>/.exec(text) ?? []
  if (problem === undefined) return undefined
  return field === undefined ? decoded(problem) : `${field}: ${decoded(problem)}`
}
