import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { type ListRequest, partAfter, partOf } from '../../engine/data/list-part.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { notFound, Refusal } from '../../engine/errors.ts'
import { requestAccountDeletion } from '../accounts/deletion-request.ts'
import { reasonBounds } from '../base/bounds.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'
import { lockAccount } from '../base/lock-account.ts'
import { addDecision } from '../mail/jobs.ts'
import { type Actor, accountsFor, logActs } from '../moderation/acts.ts'

/** Which account is decided on, and whether this server sends e-mail. */
type Decision = { readonly uuid: string; readonly sendsMail: boolean }

/**
 * Locks an account, and returns its username, and whether it waits for approval. One that its owner deletes does not. Throws `NOT_FOUND`,
 * and `FORBIDDEN` if a moderator acts on a moderator.
 */
async function lockPending(transaction: Client, actor: Actor, id: string) {
  await lockAccount(transaction, id)
  const [account] = await accountsFor(transaction, actor, [id])
  const isBeingDeleted = (await transaction.accountDeletion.count({ where: { userId: id } })) > 0
  if (!account || isBeingDeleted) throw notFound('user')
  const isPending = (await transaction.pendingAccount.count({ where: { id } })) > 0
  return { username: account.username, isPending }
}

/**
 * Approves an account that waits: everybody can see it now, and it can write. Its owner gets an e-mail. Returns whether that changed
 * anything. Throws `NOT_FOUND` and `FORBIDDEN`.
 */
export function approveAccount(
  { write: { prisma } }: Access,
  actor: Actor,
  { uuid: id, sendsMail }: Decision,
): Promise<boolean> {
  const work = async (transaction: Client) => {
    const { username, isPending } = await lockPending(transaction, actor, id)
    if (!isPending) return false
    await transaction.pendingAccount.delete({ where: { id }, select: { id: true } })
    if (sendsMail) await addDecision(transaction, id, 'approval')
    const action = 'USER_APPROVED' as const
    await logActs(transaction, actor, [{ action, subjectId: id, userId: id, username, reason: null }])
    return true
  }
  return reportUnknownOutcome('read the moderation log', () => prisma.$transaction(work))
}

/**
 * Rejects an account that waits, and erases it. Its owner gets an e-mail with the reason. Returns what `snapshot` reads just before, in the
 * same transaction. Throws `VALIDATION_FAILED`, `NOT_FOUND`, `FORBIDDEN`, and `CONFLICT` for an account that does not wait.
 */
export function rejectAccount<T>(
  { write: { prisma } }: Access,
  actor: Actor,
  { uuid: id, reason, sendsMail }: Decision & { readonly reason: string },
  snapshot: (transaction: Client) => Promise<T>,
): Promise<T> {
  refuseInvalid(textError('reason', reason, reasonBounds))
  const work = async (transaction: Client) => {
    const { username, isPending } = await lockPending(transaction, actor, id)
    if (!isPending) throw new Refusal('CONFLICT', 'The account does not wait for approval.')
    const before = await snapshot(transaction)
    if (sendsMail) await addDecision(transaction, id, 'rejection', { reason })
    // It still waits until it is gone, so that nothing tells of its end.
    await requestAccountDeletion(transaction, id, { days: 0 })
    const action = 'USER_REJECTED' as const
    await logActs(transaction, actor, [{ action, subjectId: id, userId: id, username, reason }])
    return before
  }
  return reportUnknownOutcome('read the moderation log', () => prisma.$transaction(work))
}

/** Lists the accounts that wait for approval, for the operator. */
export async function listPendingAccounts({ write: { prisma } }: Access, request: ListRequest) {
  const { where, ...rest } = partAfter(request)
  const waiting = { ...where, user: { deletion: null } }
  const include = { user: { select: { username: true, email: true } } } as const
  const { rows, next } = partOf(await prisma.pendingAccount.findMany({ ...rest, where: waiting, include }), request)
  return { rows: rows.map(({ user, ...row }) => ({ ...row, ...user })), next }
}
