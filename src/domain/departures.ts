import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { day } from '../day.ts'
import { Refusal } from '../errors.ts'
import { lockAccount } from './access-tokens.ts'
import { addJob, cancelJob } from './jobs.ts'

/**
 * Hides an account from everybody and revokes its tokens, in a transaction that has locked it. A job erases it after this many days, or
 * `inSeconds`; until the days are over, signing in cancels that. Returns when they are.
 */
export async function depart(
  transaction: Client,
  userId: string,
  { days, inSeconds = (days * day) / 1_000 }: { readonly days: number; readonly inSeconds?: number },
): Promise<Date> {
  await transaction.$executeRaw`
    insert into departures (user_id, erasing) values (${userId}::uuid, ${days === 0}) on conflict (user_id) do nothing`
  await transaction.accessToken.deleteMany({ where: { userId } })
  await addJob(transaction, 'take-back-notifications', { userId }, { key: userId })
  await cancelJob(transaction, 'delete-account', userId)
  await addJob(transaction, 'delete-account', { userId }, { key: userId, inSeconds })
  const { since } = await transaction.departure.findUniqueOrThrow({ where: { userId } })
  return new Date(since.getTime() + days * day)
}

/** Throws `CONFLICT` for an account that is being deleted. */
export async function refuseDeparting(client: Client, userId: string): Promise<void> {
  const departure = await client.departure.findUnique({ where: { userId } })
  if (departure) throw new Refusal('CONFLICT', 'The account is being deleted.')
}

/** Cancels the departure of an account that signs in, in a transaction that has locked it. Returns false if its erasure has begun. */
export async function cancelDeparture(transaction: Client, userId: string): Promise<boolean> {
  const departure = await transaction.departure.findUnique({ where: { userId } })
  if (departure?.erasing) return false
  if (departure) await removeDeparture(transaction, userId)
  return true
}

/** Removes a departure and its job. */
export async function removeDeparture(transaction: Client, userId: string): Promise<void> {
  await transaction.departure.deleteMany({ where: { userId } })
  await cancelJob(transaction, 'delete-account', userId)
}

/** Begins the erasure of an account. Returns false if its deletion was cancelled. */
export function beginErasure({ write: { prisma } }: Access, userId: string): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const { count } = await transaction.departure.updateMany({ where: { userId }, data: { erasing: true } })
    return count > 0
  })
}
