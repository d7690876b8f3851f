import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { InvalidToken, Refusal } from '../../engine/errors.ts'
import { bioBounds } from '../base/bounds.ts'
import type { Condition } from '../base/condition.ts'
import { nameError, refuseInvalid, textError } from '../base/text-rules.ts'
import { usernameError } from '../base/username.ts'
import { vectorOf } from '../base/words.ts'
import { addNotice } from '../mail/jobs.ts'
import { accountHeldByToken, holdAccountByToken } from './access-tokens.ts'
import { refuseTaken, rename } from './rename.ts'

/**
 * Updates the viewer's profile. Fields that are null or missing stay unchanged. A new username is told to its owner by e-mail. Throws
 * `VALIDATION_FAILED`, `CONFLICT` for a username that is taken or changed too soon, `PRECONDITION_FAILED`, and `UNAUTHENTICATED` if the token
 * in use was revoked meanwhile.
 */
export async function updateProfile(
  { write: { prisma } }: Access,
  viewer: Viewer,
  changes: ProfileChanges,
  sendsMail: boolean,
): Promise<void> {
  const { username = null, displayName = null, bio = null, ifUnchangedSince } = changes
  refuseInvalid(
    username === null && displayName === null && bio === null
      ? { field: 'displayName', message: 'is required unless username or bio is given' }
      : undefined,
    username === null ? undefined : usernameError(username),
    nameError('displayName', displayName),
    textError('bio', bio, bioBounds),
  )
  const update = (client: Client) => client.$executeRaw`
    with held as (${accountHeldByToken(viewer)})
    update users set display_name = coalesce(${displayName}, display_name),
      name_tokens = coalesce(${displayName === null ? null : vectorOf(displayName)}::tsvector, name_tokens), bio = coalesce(${bio}, bio)
    from held where users.id = held.id`
  const changed = await reportUnknownOutcome('read the profile of the viewer', () => {
    if (username === null && ifUnchangedSince == null) return update(prisma)
    const work = async (transaction: Client) => {
      await holdAccountByToken(transaction, viewer)
      await requireUnchanged(transaction, viewer.id, ifUnchangedSince)
      if (username !== null) {
        if (sendsMail) await addNotice(transaction, viewer.id, 'username-notice', { changedTo: username })
        await rename(transaction, viewer.id, username)
      }
      return update(transaction)
    }
    return refuseTaken(() => prisma.$transaction(work))
  })
  if (changed === 0) throw new InvalidToken()
}

/** Throws `PRECONDITION_FAILED` if an account, which the transaction has locked, was edited after a time. */
export async function requireUnchanged(client: Client, id: string, since: Date | null | undefined): Promise<void> {
  if (since == null) return
  const select = { version: true, editedAt: true, joinedAt: true }
  const { version, editedAt, joinedAt } = await client.user.findUniqueOrThrow({ where: { id }, select })
  if ((editedAt ?? joinedAt) > since)
    throw new Refusal('PRECONDITION_FAILED', 'It was edited since you read it. Read it again, then edit.', {
      current: { version: String(version), editedAt },
    })
}

/** Changes to a profile. */
type ProfileChanges = Condition & {
  readonly username?: string | null | undefined
  readonly displayName?: string | null | undefined
  readonly bio?: string | null | undefined
}
