import { v7 as newId } from 'uuid'
import type { Database } from '../data/database.ts'
import { invalid, notFound } from '../errors.ts'
import type { Session } from './sessions.ts'

/**
 * Follows a user, unfollows them, or (with `followed` null) flips what is; answers which it was. One statement, exact under any
 * concurrency. Throws `VALIDATION_FAILED` for oneself and `NOT_FOUND`.
 */
export async function setFollow(
  { run }: Database,
  { viewerId }: Session,
  user: string,
  followed: boolean | null,
): Promise<'followed' | 'unfollowed'> {
  if (user === viewerId)
    throw invalid({ field: 'uuid', message: 'must be of someone else: nobody can follow themself' })
  const [row] = await run<{ outcome: string }>(
    'select set_follow($1::uuid, $2::uuid, $3::uuid, $4::boolean) as outcome',
    [newId(), viewerId, user, followed],
  )
  const outcome = row?.outcome
  if (outcome === 'followed' || outcome === 'unfollowed') return outcome
  throw notFound('user')
}
