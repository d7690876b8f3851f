import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { Refusal } from '../errors.ts'
import { addJob, cancelJob } from './jobs.ts'

/** A day in seconds. */
const day = 86_400

/**
 * Lets an account leave, in a transaction that has locked it: nobody finds it any more, its tokens are revoked, and its erasure begins after
 * this many days, until when signing in takes it back. A job does it, by default at once then. Returns when that is.
 */
export async function depart(
  transaction: Client,
  userId: string,
  { days, inSeconds = days * day }: { readonly days: number; readonly inSeconds?: number },
): Promise<Date> {
  await transaction.$executeRaw`
    insert into departures (user_id, erasing) values (${userId}::uuid, ${days === 0}) on conflict (user_id) do nothing`
  await transaction.accessToken.deleteMany({ where: { userId } })
  await addJob(transaction, 'take-back-notifications', { userId }, { key: userId })
  await cancelJob(transaction, 'delete-account', userId)
  await addJob(transaction, 'delete-account', { userId }, { key: userId, inSeconds })
  const { since } = await transaction.departure.findUniqueOrThrow({ where: { userId } })
  return new Date(since.getTime() + days * day * 1_000)
}

/** Throws `CONFLICT` for an account that leaves. */
export async function refuseLeaving(client: Client, userId: string): Promise<void> {
  const departure = await client.departure.findUnique({ where: { userId } })
  if (departure) throw new Refusal('CONFLICT', 'The account is being deleted.')
}

/** Ends the departure of an account that signs in, in a transaction that has locked it. Returns false if its erasure has begun. */
export async function takeBackDeparture(transaction: Client, userId: string): Promise<boolean> {
  const departure = await transaction.departure.findUnique({ where: { userId } })
  if (departure?.erasing) return false
  if (departure) await removeDeparture(transaction, userId)
  return true
}

/** Removes the departure of an account that came back, or is erased, with its job. */
export async function removeDeparture(transaction: Client, userId: string): Promise<void> {
  await transaction.departure.deleteMany({ where: { userId } })
  await cancelJob(transaction, 'delete-account', userId)
}

/** Begins the erasure of an account that leaves. Returns false if it does not leave any more. */
export function beginErasure({ write: { prisma } }: Access, userId: string): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    await transaction.$queryRaw`select from users where id = ${userId}::uuid for no key update`
    const { count } = await transaction.departure.updateMany({ where: { userId }, data: { erasing: true } })
    return count > 0
  })
}
