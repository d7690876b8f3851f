import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { Refusal } from '../errors.ts'
import { addNotice } from '../mail/jobs.ts'
import { bioBounds } from '../text/bounds.ts'
import { vectorOf } from '../text/tokens.ts'
import { usernameError } from '../text/username.ts'
import { writeAsViewer } from './access-tokens.ts'
import type { Condition } from './publications.ts'
import { refuseTaken, rename } from './rename.ts'
import { nameError, refuseInvalid, textError } from './text.ts'
import type { Viewer } from './viewers.ts'

/**
 * Updates the viewer's profile. Fields that are null or missing stay unchanged. A new username is told to its owner by e-mail. Throws
 * `VALIDATION_FAILED`, `CONFLICT` for a username that is taken or changed too soon, `PRECONDITION_FAILED`, and `UNAUTHENTICATED` if the token
 * in use was revoked meanwhile.
 */
export function updateProfile(
  access: Access,
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
  const write = async (transaction: Client) => {
    await requireUnchanged(transaction, viewer.id, ifUnchangedSince)
    if (username !== null) {
      if (sendsMail) await addNotice(transaction, viewer.id, 'username-notice', { changedTo: username })
      await rename(transaction, viewer.id, username)
    }
    await transaction.$executeRaw`
      update users set display_name = coalesce(${displayName}, display_name),
        name_tokens = coalesce(${displayName === null ? null : vectorOf(displayName)}::tsvector, name_tokens), bio = coalesce(${bio}, bio)
      where id = ${viewer.id}::uuid`
  }
  return refuseTaken(() => writeAsViewer(access, viewer, 'read the profile of the viewer', write))
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
