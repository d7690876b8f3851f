import type { Viewer } from '../../engine/auth/viewers.ts'
import type { PayloadRead } from '../../engine/data/backend.ts'
import type { Access } from '../../engine/data/database.ts'
import { notFound } from '../../engine/errors.ts'
import { callFor, callOf } from '../base/function-calls.ts'
import { follows } from '../base/relations.ts'
import { relationCall } from '../relations/mutations.ts'

/**
 * Accepts or declines the request of an account to follow the viewer. It is one statement, and exact under any concurrency. Throws
 * `NOT_FOUND` without a request, unless it was accepted already.
 */
export async function answerRequest(
  access: Access,
  viewer: Viewer,
  requester: string,
  accepted: boolean,
  payload?: PayloadRead,
): Promise<void> {
  const howToCheck = `check whether user ${requester} follows the viewer, or still asks to`
  const call = callOf('answer_follow_request', { viewer: viewer.id, requester, accepted })
  // It locks two users.
  const row = await callFor(access, viewer, howToCheck, { ...call, lockKey: undefined, payload })
  if (row?.outcome !== 'accepted' && row?.outcome !== 'declined') throw notFound('request')
}

/** Removes a follower of the viewer, or the request of an account to follow them. Throws `NOT_FOUND`. */
export async function endFollowing(
  access: Access,
  viewer: Viewer,
  follower: string,
  payload?: PayloadRead,
): Promise<void> {
  const call = relationCall(follows, {
    newId: null,
    actor: follower,
    object: viewer.id,
    wanted: false,
    cause: 'request',
  })
  const howToCheck = `check whether user ${follower} follows the viewer`
  const row = await callFor(access, viewer, howToCheck, { ...call, lockKey: undefined, payload })
  if (row?.outcome !== follows.off.done) throw notFound('user')
}
