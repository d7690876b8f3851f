import type { Access } from '../data/database.ts'
import { InvalidToken } from '../errors.ts'
import { accountHeldByToken } from './access-tokens.ts'
import { bioBounds } from './accounts.ts'
import type { Session } from './sessions.ts'
import { nameError, refuseInvalid, textError } from './text.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

/**
 * Updates the viewer's profile. Fields that are null or missing stay unchanged. Throws `VALIDATION_FAILED`, and `UNAUTHENTICATED` if the token in
 * use was revoked meanwhile.
 */
export async function updateProfile(
  { write: { prisma } }: Access,
  session: Session,
  changes: ProfileChanges,
): Promise<void> {
  const { displayName = null, bio = null } = changes
  refuseInvalid(
    displayName === null && bio === null
      ? { field: 'displayName', message: 'is required unless bio is given' }
      : undefined,
    nameError('displayName', displayName),
    textError('bio', bio, bioBounds),
  )
  const changed = await reportUnknownOutcome(
    'read the profile of the viewer',
    () => prisma.$executeRaw`
      with held as (${accountHeldByToken(session)})
      update users set display_name = coalesce(${displayName}, display_name), bio = coalesce(${bio}, bio)
      from held where users.id = held.id`,
  )
  if (changed === 0) throw new InvalidToken()
}

/** Changes to a profile. */
export type ProfileChanges = {
  readonly displayName?: string | null | undefined
  readonly bio?: string | null | undefined
}
