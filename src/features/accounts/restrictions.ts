import type { Restriction } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import { forbidden, SuspendedAccount } from '../../engine/errors.ts'

declare module '../../engine/auth/viewers.ts' {
  interface KnownRestrictions {
    pending: true
    suspended: true
  }
}

/** What decides on the restriction of a token: its account, and to whom it was issued. */
type Restricted = {
  readonly suspended_at: Date | null
  readonly suspension_reason: string | null
  readonly is_pending: boolean
  readonly application_id: string | null
  readonly grant_id: string | null
}

/** The restriction of accounts that wait for approval: they read, and write only what stays open, with any token. */
const pending: Restriction = {
  permits: ({ isWrite, staysOpenTo }) => !isWrite || staysOpenTo.includes('pending'),
  refuse: () =>
    forbidden(
      'NOT_APPROVED',
      'This account waits for the approval of a moderator. Until then, it can only read, and manage how it signs in.',
    ),
}

/** The restriction of a token. While its account is suspended, its owner may use what stays open, and applications nothing. */
export function restrictionOf(found: Restricted, contact: string | null = null): Restriction | null {
  const { suspended_at: since, suspension_reason: reason, application_id, grant_id } = found
  if (since === null) return found.is_pending ? pending : null
  const isOfOwner = application_id === null && grant_id === null
  return {
    permits: ({ staysOpenTo }) => staysOpenTo.includes('suspended') && isOfOwner,
    refuse: () => new SuspendedAccount({ since, reason, contact }),
  }
}

/** An account that is suspended: since when, and why. */
export type Suspended = {
  readonly id: string
  readonly username: string
  readonly since: Date
  readonly reason: string | null
}

/** The account with its suspension; undefined if it is not suspended. */
export async function findSuspended(client: Client, id: string): Promise<Suspended | undefined> {
  const [found] = await client.$queryRaw<Suspended[]>`
    select id, username, suspended_at as since, suspension_reason(id) as reason
    from users where id = ${id}::uuid and suspended_at is not null`
  return found
}
