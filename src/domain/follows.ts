import { v7 as newId } from 'uuid'
import type { Client } from '../data/client.ts'
import { invalid, notFound } from '../errors.ts'
import type { Session } from './sessions.ts'

/**
 * Follows a user, unfollows them, or (with `followed` null) flips what is; answers which it was. One statement, exact under any
 * concurrency. Throws `VALIDATION_FAILED` for oneself and `NOT_FOUND`.
 */
export async function setFollow(
  client: Client,
  { viewerId }: Session,
  user: string,
  followed: boolean | null,
): Promise<'followed' | 'unfollowed'> {
  if (user === viewerId)
    throw invalid({ field: 'uuid', message: 'must be of someone else: nobody can follow themself' })
  const [row] = await client.$queryRaw<{ outcome: string }[]>`
    select set_follow(${newId()}::uuid, ${viewerId}::uuid, ${user}::uuid, ${followed}::boolean) as outcome`
  const outcome = row?.outcome
  if (outcome === 'followed' || outcome === 'unfollowed') return outcome
  throw notFound('user')
}
