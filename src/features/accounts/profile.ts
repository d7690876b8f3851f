import { z } from 'zod'
import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { InvalidToken, Refusal } from '../../engine/errors.ts'
import { bioBounds, maxLanguages, nameBounds } from '../base/bounds.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'
import { lookupList } from '../base/lookup-list.ts'
import type { Condition } from '../base/payload.ts'
import { reservedError } from '../base/reserved-usernames.ts'
import { renameDays, usernameBounds } from '../base/username.ts'
import { vectorOf } from '../base/words.ts'
import { addNotice } from '../mail/jobs.ts'
import { accountHeldByToken, holdAccount } from './access-tokens.ts'
import { lockWithRequesters, setPrivate } from './privacy.ts'

/**
 * Updates the viewer's profile. Fields that are null or missing stay unchanged. A new username is told to its owner by e-mail. Opening a
 * private account accepts all requests.
 * Throws `VALIDATION_FAILED`, `CONFLICT` for a username that is taken or changed too soon, `PRECONDITION_FAILED`, and
 * `UNAUTHENTICATED` if the token in use was revoked meanwhile.
 */
export async function updateProfile(
  { write: { prisma } }: Access,
  viewer: Viewer,
  changes: ProfileChanges,
  { sendsMail, reserved }: { readonly sendsMail: boolean; readonly reserved: ReadonlySet<string> },
): Promise<void> {
  const {
    username = null,
    displayName = null,
    bio = null,
    isPrivate = null,
    language = null,
    ifUnchangedSince,
  } = changes
  const languages = changes.readingLanguages && [
    ...new Set(lookupList('readingLanguages', changes.readingLanguages, maxLanguages)),
  ]
  refuseInvalid(
    [username, displayName, bio, isPrivate, language, languages ?? null].every((it) => it === null)
      ? { field: 'displayName', message: 'is required unless the request changes something else' }
      : undefined,
    textError('username', username, usernameBounds),
    textError('displayName', displayName, nameBounds),
    textError('bio', bio, bioBounds),
  )
  const update = (client: Client) => client.$executeRaw`
    with held as (${accountHeldByToken(viewer)})
    update users set display_name = coalesce(${displayName}, display_name),
      name_tokens = coalesce(${displayName === null ? null : vectorOf(displayName)}::tsvector, name_tokens), bio = coalesce(${bio}, bio),
      language = nullif(coalesce(${language}, language), 'und'),
      reading_languages = coalesce(${languages ?? null}::text[], reading_languages)
    from held where users.id = held.id`
  const changed = await reportUnknownOutcome('read the profile of the viewer', () => {
    if (username === null && isPrivate === null && ifUnchangedSince == null) return update(prisma)
    const work = async (transaction: Client) => {
      const requesters = isPrivate === false ? await lockWithRequesters(transaction, viewer.id) : []
      await holdAccount(transaction, viewer)
      await requireUnchanged(transaction, viewer.id, ifUnchangedSince)
      if (username !== null) {
        if (sendsMail) await addNotice(transaction, viewer.id, 'username-notice', { changedTo: username })
        await rename(transaction, viewer.id, username, reserved)
      }
      if (isPrivate !== null) await setPrivate(transaction, viewer.id, isPrivate, requesters)
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
  readonly isPrivate?: boolean | null | undefined
  /** A canonical tag; `und` stands for none. */
  readonly language?: string | null | undefined
  readonly readingLanguages?: readonly string[] | null | undefined
}

/**
 * Prisma's error, by its client or in SQL, for a username that another account has. The trigger `keep_username` names the same
 * index for a reserved one.
 */
const taken = z.object({
  code: z.enum(['P2002', 'P2010']),
  meta: z.object({
    driverAdapterError: z.object({
      cause: z.object({ constraint: z.object({ index: z.literal('users_username_key') }) }),
    }),
  }),
})

/** Runs a write of a username. Throws `CONFLICT` if it is taken, or reserved for another account. */
export async function refuseTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    if (!taken.safeParse(error).success) throw error
    const errors = [{ field: 'username', message: 'is taken' }]
    throw new Refusal('CONFLICT', 'This username is taken.', { errors, cause: error })
  }
}

/**
 * Renames an account, which the transaction has locked. Throws `VALIDATION_FAILED` for a reserved username, and `CONFLICT` with the time of
 * the next possible change if the last one was too recent. Changing the case, and going back to a former username, is always possible.
 */
async function rename(
  transaction: Client,
  userId: string,
  username: string,
  reserved: ReadonlySet<string>,
): Promise<void> {
  const [found] = await transaction.$queryRaw<{ is_own: boolean; next: Date | null }[]>`
    select user_named(${username.toLowerCase()}) is not distinct from u.id as is_own,
      f.left_at + make_interval(days => ${renameDays}::int) as next
    from users u
      left join former_usernames f on f.user_id = u.id and f.left_at > now() - make_interval(days => ${renameDays}::int)
    where u.id = ${userId}::uuid`
  if (!found?.is_own) refuseInvalid(reservedError(username, reserved))
  if (found?.next && !found.is_own) {
    const time = found.next.toISOString()
    throw new Refusal('CONFLICT', `A username can be changed once in ${renameDays} days: again from ${time}.`)
  }
  await setUsername(transaction, userId, username)
}

/** Renames an account at any time. */
export async function setUsername(client: Client, id: string, username: string): Promise<void> {
  await client.user.update({ where: { id }, data: { username }, select: { id: true } })
}

/** Removes the former usernames that are no longer reserved. */
export async function removeFormerUsernames({ write: { prisma } }: Access): Promise<void> {
  await prisma.$executeRaw`
    delete from former_usernames where username in (
      select username from former_usernames where kept_until <= now() order by username for update)`
}
