// A user without a host is no URL elsewhere; here the parameter `host` names the folder of a Unix socket instead.
const withHost = (text: string) => text.replace('@/', '@localhost/')

/**
 * Whether only values have `@`, `#` or `=` after the host. Otherwise the password ends too early, and its rest would be printed as
 * another part.
 */
export function isEncoded(url: string): boolean {
  return /^\w+:\/\/[^/?#]*(\/[^@#?=]*)?(\?[^@#=]*(=[^#]*)?)?$/.test(url)
}

/** Whether a text is the URL of a PostgreSQL server as `pg` takes it, with the folder of a Unix socket in `?host=` too. */
export function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:/.test(text) && isEncoded(text) && hostUrls(text).every((url) => URL.canParse(withHost(url)))
}

/** The URL of each host in order, for `postgres://first:5432,second:5432/name`. */
export function hostUrls(text: string): readonly string[] {
  const [, before = '', hosts = '', after = ''] = /^(\w+:\/\/(?:[^/?]*@)?)([^/?]*)(.*)$/.exec(text) ?? []
  return hosts.split(',').map((host) => before + host + after)
}

const parsed = (text: string) => new URL(withHost(hostUrls(text)[0] ?? text))

/** The same URL for people: without its password and without parameters, but for the folder of a Unix socket. */
export function withoutPassword(text: string): string {
  const { protocol, username, pathname } = parsed(text)
  const hosts = hostUrls(text).map((url) => parsed(url).host)
  const user = username === '' ? '' : `${username}@`
  const socket = parameterIn(text, 'host')
  return socket ? `${protocol}//${user}${pathname}?host=${socket}` : `${protocol}//${user}${hosts}${pathname}`
}

/**
 * A parameter of the URL, such as `schema`, which names the schema as in Prisma's URLs, or `sslmode`. Undefined if it is missing or
 * empty.
 */
export function parameterIn(text: string, name: string): string | undefined {
  return parsed(text).searchParams.get(name) || undefined
}

/** Whether PgBouncer in transaction mode is in between. Then no setting, prepared statement or LISTEN outlasts a transaction. */
export function isBehindPgBouncer(text: string): boolean {
  return parameterIn(text, 'pgbouncer') === 'true'
}

/**
 * The values of `sslmode`: those of libpq, and one of `pg`. Each has those for `pg` that are tried in turn: `pg` does not fall back, so its
 * `prefer` encrypts without a check of the certificate.
 */
const attempts: ReadonlyMap<string, readonly string[]> = new Map([
  ['disable', ['disable']],
  ['allow', ['disable', 'prefer']],
  ['prefer', ['prefer', 'disable']],
  ['require', ['require']],
  ['verify-ca', ['verify-ca']],
  ['verify-full', ['verify-full']],
  ['no-verify', ['prefer']],
])

/** The values that `sslmode` may have. */
export const sslModes: readonly string[] = [...attempts.keys()]

/** The URLs of a host for `pg` that are tried in turn, so that `sslmode` means what it means to libpq. A Unix socket is never encrypted. */
export function connectionStrings(text: string): readonly string[] {
  const [base = '', ...query] = text.split('?')
  const parameters = new URLSearchParams(query.join('?'))
  const isSocket = parameters.get('host')?.startsWith('/')
  const mode = parameterIn(text, 'sslmode')
  // Those that Node.js trusts.
  if (parameters.get('sslrootcert') === 'system') parameters.delete('sslrootcert')
  parameters.set('uselibpqcompat', 'true')
  if (mode === undefined) return [`${base}?${parameters}`]
  const modes = isSocket ? ['disable'] : attempts.get(mode)
  if (!modes) throw new TypeError(`There is no sslmode ${mode}`)
  return modes.map((sslmode) => {
    parameters.set('sslmode', sslmode)
    return `${base}?${parameters}`
  })
}
