import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { Prisma } from '../data/generated/prisma/client.ts'
import { Refusal } from '../errors.ts'
import { renameDays } from './username.ts'

/** Runs a write of a username. Throws `CONFLICT` if another account has or keeps it. */
export async function refuseTaken<T>(write: () => Promise<T>): Promise<T> {
  try {
    return await write()
  } catch (error) {
    // A unique violation.
    if (error instanceof Prisma.PrismaClientKnownRequestError && error.code === 'P2002') {
      const errors = [{ field: 'username', message: 'is taken' }]
      throw new Refusal('CONFLICT', 'This username is taken.', { errors, cause: error })
    }
    throw error
  }
}

/**
 * Renames an account, which the transaction has locked. Throws `CONFLICT` with the time from which this is possible if it has changed its
 * username a short time ago. It may always change the case, or go back to a username that it keeps.
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

/** Removes the usernames that no account keeps any more. */
export async function removeOldUsernames({ write: { prisma } }: Access): Promise<void> {
  await prisma.$executeRaw`delete from former_usernames where kept_until <= now()`
}
