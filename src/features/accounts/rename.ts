import { z } from 'zod'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { Refusal } from '../../engine/errors.ts'
import { renameDays } from '../base/username.ts'

/** Prisma's error, by its client or in SQL, for a username that another account has. The trigger `keep_username` names the same index for a reserved one. */
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
 * Renames an account, which the transaction has locked. Throws `CONFLICT` with the time of the next possible change if the last one was too
 * recent. Changing the case, and going back to a former username, is always possible.
 */
export async function rename(transaction: Client, userId: string, username: string): Promise<void> {
  const [last] = await transaction.$queryRaw<{ next: Date }[]>`
    select left_at + make_interval(days => ${renameDays}::int) as next from former_usernames
    where user_id = ${userId}::uuid and left_at > now() - make_interval(days => ${renameDays}::int)
      and user_named(${username.toLowerCase()}) is distinct from user_id
    order by left_at desc limit 1`
  if (last) {
    const time = last.next.toISOString()
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
  await prisma.$executeRaw`delete from former_usernames where kept_until <= now()`
}
