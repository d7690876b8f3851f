import type { Access } from '../data/database.ts'
import { invalid, notFound, Refusal } from '../errors.ts'
import { newId } from './new-id.ts'
import type { Session } from './sessions.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

/** How many accounts one account may follow. The cost of a home timeline grows with each of them. */
export const maxFollowing = 10_000

/**
 * Follows or unfollows a user, or toggles the follow if `followed` is null. Returns what was done. It is one statement, and exact under
 * any concurrency. Throws `VALIDATION_FAILED` for oneself, `NOT_FOUND`, and `CONFLICT` above the limit.
 */
export async function setFollow(
  { write }: Access,
  { viewerId }: Session,
  user: string,
  followed: boolean | null,
): Promise<'followed' | 'unfollowed'> {
  if (user === viewerId)
    throw invalid({ field: 'uuid', message: 'must identify another user: users cannot follow themselves' })
  const [row] = await reportUnknownOutcome(`check whether the viewer follows user ${user}`, () =>
    write.run({
      text: 'select set_follow($1::uuid, $2::uuid, $3::uuid, $4::boolean, $5::int) as outcome',
      values: [newId(), viewerId, user, followed, maxFollowing],
      // It locks two users.
      lockKey: undefined,
    }),
  )
  const outcome = row?.outcome
  if (outcome === 'followed' || outcome === 'unfollowed') return outcome
  if (outcome === 'too_many')
    throw new Refusal('CONFLICT', `An account can follow at most ${maxFollowing} others: unfollow one first.`)
  throw notFound('user')
}
