import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { addJob } from '../../engine/jobs/jobs.ts'

declare module '../../engine/jobs/jobs.ts' {
  interface JobPayloads {
    readonly 'accept-follow-requests': { readonly userId: string }
  }
}

/** How many requests one transaction accepts. */
const acceptedAtOnce = 100

/**
 * Locks an account that is about to be opened, with the accounts whose requests that accepts first, in the order of all writes that lock
 * users. Returns the latter.
 */
export async function lockWithRequesters(transaction: Client, userId: string): Promise<readonly string[]> {
  const locked = await transaction.$queryRaw<{ readonly id: string }[]>`
    select id from users where id = any (array(
      select requester_id from follow_requests where requested_id = ${userId}::uuid order by id limit ${acceptedAtOnce}
    ) || ${userId}::uuid) order by id for no key update`
  return locked.flatMap(({ id }) => (id === userId ? [] : id))
}

/** Makes an account private or opens it, and accepts the requests of the accounts that are locked with it. A job accepts the others. */
export async function setPrivate(
  transaction: Client,
  userId: string,
  isPrivate: boolean,
  requesters: readonly string[],
): Promise<void> {
  const [row] = await transaction.$queryRaw<{ readonly remain: boolean }[]>`
    select set_private(${userId}::uuid, ${isPrivate}, ${requesters}::uuid[]) as remain`
  if (row?.remain) await addJob(transaction, 'accept-follow-requests', { userId }, { key: userId, replaces: 'taken' })
}

/** Accepts a part of the requests to an account that was opened. Returns in how many seconds to continue; undefined if none are left. */
export function acceptRemainingRequests({ write: { prisma } }: Access, userId: string): Promise<number | undefined> {
  return prisma.$transaction(async (transaction) => {
    const requesters = await lockWithRequesters(transaction, userId)
    // Those of an account that is private again wait for its answer.
    if ((await transaction.privateAccount.count({ where: { userId } })) > 0) return undefined
    await transaction.$queryRaw`select accept_follow_requests(${userId}::uuid, ${requesters}::uuid[])`
    return (await transaction.followRequest.count({ where: { requestedId: userId }, take: 1 })) > 0 ? 0 : undefined
  })
}
