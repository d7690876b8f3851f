import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { day } from '../../engine/day.ts'
import { Refusal } from '../../engine/errors.ts'
import { addJob, cancelJob } from '../../engine/jobs/jobs.ts'
import { lockAccount } from '../base/lock-account.ts'
import { endTokensOf } from './access-tokens.ts'

declare module '../../engine/jobs/jobs.ts' {
  interface JobPayloads {
    readonly 'delete-account': { readonly userId: string }
  }
}

/**
 * Hides an account from everybody and revokes its tokens, in a transaction that has locked it. A job erases it after this many days, or
 * `inSeconds`; until the days are over, signing in cancels that. Returns when they are.
 */
export async function requestAccountDeletion(
  transaction: Client,
  userId: string,
  { days, inSeconds = (days * day) / 1_000 }: { readonly days: number; readonly inSeconds?: number },
): Promise<Date> {
  await transaction.$executeRaw`
    insert into account_deletions (user_id, erasing) values (${userId}::uuid, ${days === 0}) on conflict (user_id) do nothing`
  await endTokensOf(transaction, userId)
  await cancelJob(transaction, 'delete-account', userId)
  await addJob(transaction, 'delete-account', { userId }, { key: userId, inSeconds })
  const { since } = await transaction.accountDeletion.findUniqueOrThrow({ where: { userId } })
  return new Date(since.getTime() + days * day)
}

/** Throws `CONFLICT` for an account that is being deleted. */
export async function refuseBeingDeleted(client: Client, userId: string): Promise<void> {
  const deletion = await client.accountDeletion.findUnique({ where: { userId } })
  if (deletion) throw new Refusal('CONFLICT', 'The account is being deleted.')
}

/** Cancels the deletion of an account that signs in, in a transaction that has locked it. Returns false if it has begun. */
export async function cancelAccountDeletion(transaction: Client, userId: string): Promise<boolean> {
  const deletion = await transaction.accountDeletion.findUnique({ where: { userId } })
  if (deletion?.erasing) return false
  if (deletion) await removeAccountDeletion(transaction, userId)
  return true
}

/** Removes a deletion and its job. */
export async function removeAccountDeletion(transaction: Client, userId: string): Promise<void> {
  await transaction.accountDeletion.deleteMany({ where: { userId } })
  await cancelJob(transaction, 'delete-account', userId)
}

/** Begins to erase an account. Returns false if its deletion was cancelled. */
export function beginAccountDeletion({ write: { prisma } }: Access, userId: string): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const { count } = await transaction.accountDeletion.updateMany({ where: { userId }, data: { erasing: true } })
    return count > 0
  })
}
