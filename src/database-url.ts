// A user without a host is no URL elsewhere; here the parameter `host` names the folder of a Unix socket instead.
const withHost = (text: string) => text.replace('@/', '@localhost/')

/** Whether a text is the URL of a PostgreSQL server as `pg` takes it, with the folder of a Unix socket in `?host=` too. */
export function isDatabaseUrl(text: string): boolean {
  return /^postgres(ql)?:\/\//.test(text) && URL.canParse(withHost(text))
}

/** The same URL for people: without its password and without parameters, but for the folder of a Unix socket. */
export function withoutPassword(text: string): string {
  const { protocol, username, host, pathname, searchParams } = new URL(withHost(text))
  const user = username === '' ? '' : `${username}@`
  const socket = searchParams.get('host')
  return socket === null ? `${protocol}//${user}${host}${pathname}` : `${protocol}//${user}${pathname}?host=${socket}`
}

/** The schema that the URL names, as Prisma's do. */
export function schemaIn(text: string): string | undefined {
  return new URL(withHost(text)).searchParams.get('schema') || undefined
}
