import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { InvalidToken } from '../errors.ts'
import { accountHeldByToken, holdAccountByToken } from './access-tokens.ts'
import { bioBounds } from './accounts.ts'
import { refuseTaken, rename } from './rename.ts'
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
  const update = (client: Client) => client.$executeRaw`
    with held as (${accountHeldByToken(session)})
    update users set display_name = coalesce(${displayName}, display_name), bio = coalesce(${bio}, bio)
    from held where users.id = held.id`
  const changed = await reportUnknownOutcome('read the profile of the viewer', () => {
    if (username === null) return update(prisma)
    const work = async (transaction: Client) => {
      await holdAccountByToken(transaction, session)
      await rename(transaction, session.viewerId, username)
      return update(transaction)
    }
    return refuseTaken(() => prisma.$transaction(work))
  })
  if (changed === 0) throw new InvalidToken()
}

/** Changes to a profile. */
export type ProfileChanges = {
  readonly username?: string | null | undefined
  readonly displayName?: string | null | undefined
  readonly bio?: string | null | undefined
}
