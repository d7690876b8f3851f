import type { Access } from '../data/database.ts'
import { holdAccountByToken } from './access-tokens.ts'
import { bioBounds } from './accounts.ts'
import { refuseHastyRename, refuseTaken } from './rename.ts'
import type { Session } from './sessions.ts'
import { nameError, refuseInvalid, textError } from './text.ts'
import { usernameError } from './username.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

/**
 * Updates the viewer's profile. Fields that are null or missing stay unchanged. Throws `VALIDATION_FAILED`, `CONFLICT` for a username that is
 * taken or changed too soon, and `UNAUTHENTICATED` if the token in use was revoked meanwhile.
 */
export async function updateProfile(
  { write: { prisma } }: Access,
  session: Session,
  changes: ProfileChanges,
): Promise<void> {
  const { username = null, displayName = null, bio = null } = changes
  refuseInvalid(
    username === null && displayName === null && bio === null
      ? { field: 'displayName', message: 'is required unless username or bio is given' }
      : undefined,
    username === null ? undefined : usernameError(username),
    nameError('displayName', displayName),
    textError('bio', bio, bioBounds),
  )
  const id = session.viewerId
  const data = {
    ...(username !== null && { username }),
    ...(displayName !== null && { displayName }),
    ...(bio !== null && { bio }),
  }
  const update = () =>
    prisma.$transaction(async (transaction) => {
      await holdAccountByToken(transaction, session)
      if (username !== null) await refuseHastyRename(transaction, id, username)
      await transaction.user.update({ where: { id }, data, select: { id: true } })
    })
  await reportUnknownOutcome('read the profile of the viewer', () => refuseTaken(update))
}

/** Changes to a profile. */
export type ProfileChanges = {
  readonly username?: string | null | undefined
  readonly displayName?: string | null | undefined
  readonly bio?: string | null | undefined
}
