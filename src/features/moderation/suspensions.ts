import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { notFound, Refusal } from '../../engine/errors.ts'
import { reasonBounds } from '../base/bounds.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'
import { lockAccount } from '../base/lock-account.ts'
import { addNotice } from '../mail/jobs.ts'
import { type Actor, accountsFor, changeAccount, changeLocked, idOf, logActs, type ModerationEntry } from './acts.ts'

const suspension = { column: 'suspendedAt', isSet: true, action: 'USER_SUSPENDED' } as const
const reinstatement = { column: 'suspendedAt', isSet: false, action: 'USER_REINSTATED' } as const

/**
 * Suspends an account, or lifts its suspension, which accepts its open appeal, and returns whether that changed anything. Its tokens are
 * refused while it is suspended, and work again afterwards. Throws `VALIDATION_FAILED`, `NOT_FOUND` and `FORBIDDEN`.
 */
export function setSuspended(
  database: Access,
  actor: Actor,
  act: ModerationEntry,
  suspended: boolean,
  sendsMail = false,
): Promise<boolean> {
  return changeAccount(database, actor, act, suspended ? suspension : reinstatement, async (transaction, account) => {
    if (!suspended) await answerOpenAppeal(transaction, actor, account, { state: 'ACCEPTED', answer: null, sendsMail })
  })
}

/** The answer to an appeal: whether the suspension ends, and why. */
type AppealAnswer = { readonly uuid: string; readonly accept: boolean; readonly answer: string }

/**
 * Answers an appeal, and returns the account that appealed. Accepting it ends the suspension in the same transaction. Throws
 * `VALIDATION_FAILED`, `NOT_FOUND`, `FORBIDDEN` for appeals of moderators, and `CONFLICT` if it was answered already.
 */
export function answerAppeal(
  { write: { prisma } }: Access,
  actor: Actor,
  { uuid, accept, answer }: AppealAnswer,
  sendsMail: boolean,
): Promise<string> {
  refuseInvalid(textError('answer', answer, reasonBounds))
  const work = async (transaction: Client) => {
    const appeal = await transaction.appeal.findUnique({ where: { id: uuid }, select: { userId: true } })
    if (!appeal) throw notFound('appeal')
    const { userId } = appeal
    await lockAccount(transaction, userId)
    const [account] = await accountsFor(transaction, actor, [userId])
    if (!account) throw notFound('appeal')
    if ((await transaction.appeal.count({ where: { id: uuid, state: 'OPEN' } })) === 0)
      throw new Refusal('CONFLICT', 'This appeal is already answered.')
    const state = accept ? 'ACCEPTED' : 'REJECTED'
    await answerOpenAppeal(transaction, actor, account, { state, answer, sendsMail })
    if (accept) await changeLocked(transaction, actor, account, { ...reinstatement, reason: answer })
    return userId
  }
  return reportUnknownOutcome('read the appeal', () => prisma.$transaction(work))
}

/**
 * Answers the open appeal of an account, if there is one, in a transaction that has locked it. Logs that, and sends its owner an
 * e-mail.
 */
async function answerOpenAppeal(
  transaction: Client,
  actor: Actor,
  { id: userId, username }: { readonly id: string; readonly username: string },
  {
    state,
    answer,
    sendsMail,
  }: { readonly state: 'ACCEPTED' | 'REJECTED'; readonly answer: string | null; readonly sendsMail: boolean },
): Promise<void> {
  const [answered] = await transaction.appeal.updateManyAndReturn({
    where: { userId, state: 'OPEN' },
    data: { state, answer, answeredBy: idOf(actor), answeredAt: new Date() },
    select: { id: true },
  })
  if (!answered) return
  await logActs(transaction, actor, [
    { action: `APPEAL_${state}`, subjectId: answered.id, userId, username, reason: answer },
  ])
  if (sendsMail) await addNotice(transaction, userId, 'appeal-notice')
}
