import type { FieldError } from '../../engine/errors.ts'

/** Usernames that could be mistaken for the service, for who runs it, or for the mailboxes of a domain (RFC 2142). */
const shipped = `
  about abuse account accounts admin administrator admins all announcements api auth authority billing bot bots contact copyright daemon
  dmca everybody everyone ftp guest help helpdesk here hostmaster info information invitation invitations legal localhost login logout
  mail mailerdaemon mcp me mod moderation moderator moderators mods news nobody noc noreply notification notifications oauth official
  operator owner password police policy postmaster press privacy register report reports reset robots rookery root rules safety
  security server service settings signin signout signup social staff status superuser support sysadmin system team terms timeline
  trust undefined usenet user users uucp verification verified verify webadmin webmaster www`
  .trim()
  .split(/\s+/)

/** Usernames are reserved ignoring case and underscores, which hardly show. */
const keyOf = (username: string) => username.toLowerCase().replaceAll('_', '')

/** The usernames that only the operator can give, with these of their own. */
export const reservedUsernames = (own: readonly string[]): ReadonlySet<string> =>
  new Set([...shipped, ...own].map(keyOf))

/** The error of a username that is reserved, if there is one. */
export function reservedError(
  username: string | null | undefined,
  reserved: ReadonlySet<string>,
): FieldError | undefined {
  const isReserved = username != null && reserved.has(keyOf(username))
  return isReserved ? { field: 'username', message: 'is reserved' } : undefined
}
