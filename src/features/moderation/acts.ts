import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import type { ModerationAct } from '../../engine/data/generated/prisma/client.ts'
import type { ModerationAction } from '../../engine/data/generated/prisma/enums.ts'
import { newId } from '../../engine/data/ids.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { forbidden, notFound } from '../../engine/errors.ts'
import { reasonBounds } from '../base/bounds.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'
import { lockAccount } from '../base/lock-account.ts'

/** Who acts: a moderator, or for its commands, which check no token, the operator of the server. */
export type Actor = Viewer | 'operator'

/** What is done to one object, and why. */
export type ModerationEntry = { readonly uuid: string; readonly reason?: string | null | undefined }

/** The account of who acts; null for the operator. */
export const idOf = (actor: Actor) => (actor === 'operator' ? null : actor.id)

/** Adds to the moderation log, in the transaction of what it says. */
export async function logActs(
  transaction: Client,
  actor: Actor,
  acts: readonly (Pick<ModerationAct, 'action' | 'subjectId' | 'userId' | 'username' | 'reason'> & {
    readonly client?: string
  })[],
): Promise<void> {
  await transaction.moderationAct.createMany({
    data: acts.map((act) => ({ id: newId(), actorId: idOf(actor), ...act })),
  })
}

/** The accounts that somebody acts on. Throws `FORBIDDEN` if a moderator acts on a moderator, such as on themselves. */
export async function accountsFor(transaction: Client, actor: Actor, ids: readonly string[]) {
  const accounts = await transaction.user.findMany({
    where: { id: { in: [...ids] } },
    select: { id: true, username: true, suspendedAt: true, moderatorSince: true },
  })
  if (actor !== 'operator' && accounts.some(({ moderatorSince }) => moderatorSince !== null))
    throw forbidden('MODERATOR', 'Only the operator of this server can act on moderators.')
  return accounts
}

/** An account that somebody acts on. */
type Account = Awaited<ReturnType<typeof accountsFor>>[number]

/** A change of a state of an account, whose column has the time when it began, or null. */
type AccountChange = {
  readonly column: 'suspendedAt' | 'moderatorSince'
  readonly isSet: boolean
  readonly action: ModerationAction
}

/** Changes the state of an account, in a transaction that has locked it, and logs that. */
export async function changeLocked(
  transaction: Client,
  actor: Actor,
  { id, username }: Account,
  { column, isSet, action, reason }: AccountChange & Pick<ModerationAct, 'reason'>,
): Promise<void> {
  const data = { [column]: isSet ? new Date() : null }
  await transaction.user.update({ where: { id }, data, select: { id: true } })
  await logActs(transaction, actor, [{ action, subjectId: id, userId: id, username, reason }])
}

/**
 * Changes the state of an account, with what `also` does in the same transaction, and returns whether that changed anything. Throws
 * `VALIDATION_FAILED`, `NOT_FOUND` and `FORBIDDEN`.
 */
export function changeAccount(
  { write: { prisma } }: Access,
  actor: Actor,
  { uuid: id, reason = null }: ModerationEntry,
  change: AccountChange,
  also: (transaction: Client, account: Account) => Promise<unknown> = async () => undefined,
): Promise<boolean> {
  refuseInvalid(textError('reason', reason, reasonBounds))
  const work = async (transaction: Client) => {
    await lockAccount(transaction, id)
    const [account] = await accountsFor(transaction, actor, [id])
    if (!account) throw notFound('user')
    if ((account[change.column] !== null) === change.isSet) return false
    await also(transaction, account)
    await changeLocked(transaction, actor, account, { ...change, reason })
    return true
  }
  return reportUnknownOutcome('read the moderation log', () => prisma.$transaction(work))
}
