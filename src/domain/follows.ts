import { v7 as newId } from 'uuid'
import type { Database } from '../data/database.ts'
import { invalid, notFound, Refusal } from '../errors.ts'
import type { Session } from './sessions.ts'
import { writing } from './writing.ts'

/** How many accounts one may follow: a home timeline takes time for each of them. */
export const maxFollowing = 10_000

/**
 * Follows a user, unfollows them, or (with `followed` null) flips what is; answers which it was. One statement, exact under any
 * concurrency. Throws `VALIDATION_FAILED` for oneself, `NOT_FOUND`, and `CONFLICT` for one account too many.
 */
export async function setFollow(
  { run }: Database,
  { viewerId }: Session,
  user: string,
  followed: boolean | null,
): Promise<'followed' | 'unfollowed'> {
  if (user === viewerId)
    throw invalid({ field: 'uuid', message: 'must be of someone else: nobody can follow themself' })
  const [row] = await writing(`check whether the viewer follows user ${user}`, () =>
    run<{ outcome: string }>('select set_follow($1::uuid, $2::uuid, $3::uuid, $4::boolean, $5::int) as outcome', [
      newId(),
      viewerId,
      user,
      followed,
      maxFollowing,
    ]),
  )
  const outcome = row?.outcome
  if (outcome === 'followed' || outcome === 'unfollowed') return outcome
  if (outcome === 'too_many')
    throw new Refusal('CONFLICT', `An account follows at most ${maxFollowing} others: unfollow one first.`)
  throw notFound('user')
}
