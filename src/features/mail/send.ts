import type { Access } from '../../engine/data/database.ts'
import type { Log } from '../../engine/log.ts'
import { lockAccount } from '../base/lock-account.ts'
import { isWaiting } from './jobs.ts'
import type { MailLimits } from './limits.ts'
import { createEmailToken } from './links.ts'
import { linkIn, mailTextOf, type Sender } from './mail-texts.ts'
import { MailError, type Mailer } from './mailer.ts'
import type { MailPayload } from './topics.ts'

/** How e-mails are sent. */
export type Mailing = Sender & { readonly mailer: Mailer; readonly limits?: MailLimits | undefined }

/**
 * Makes the token of the link of an e-mail. Undefined if the e-mail was cancelled, by a transaction that held the account too, or if the
 * account is gone or has another address than the link is for.
 */
function tokenFor(database: Access, mail: MailPayload, kind: NonNullable<ReturnType<typeof linkIn>>) {
  const { topic, userId, to, until } = mail
  return database.write.prisma.$transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const isOfCurrent = kind === 'VERIFY' || kind === 'RESET'
    const where = { id: userId, ...(isOfCurrent && { email: to }) }
    if (!(await isWaiting(transaction, mail)) || (await transaction.user.count({ where })) === 0) return undefined
    // Those of notices expire in the order of the changes, even if an e-mail is late.
    const expiresAt = topic === 'address-notice' ? new Date(until) : undefined
    return createEmailToken(transaction, { kind, userId, email: to, expiresAt })
  })
}

/**
 * Sends an e-mail. Its link is made only now, since only the hash of a token is stored. What the mail server refuses for good is logged and
 * not tried again. Returns in how many seconds to try again, if it has to wait for others. Throws a `MailError` for what failed.
 */
export async function sendMail(
  database: Access,
  mailing: Mailing,
  payload: MailPayload,
  log: Log,
): Promise<number | undefined> {
  const { mailer, limits } = mailing
  const { id, topic, userId, to, until } = payload
  const mail = { mail: id, topic, user: userId }
  if (Date.now() > until) {
    log.warn(mail, 'an e-mail was not sent in time')
    return undefined
  }
  const turn = await limits?.take(payload)
  if (turn && turn.wait > 0) {
    log.info(mail, 'an e-mail waits, since there are too many')
    return turn.wait
  }
  try {
    const link = linkIn(payload, mailing)
    const token = link && (await tokenFor(database, payload, link))
    if (!link || token) await mailer.send({ id, to, ...mailTextOf(payload, mailing, token) })
  } catch (error) {
    if (!(error instanceof MailError) || !error.isPermanent) {
      await turn?.takeBack()
      throw error
    }
    log.warn({ ...mail, err: error }, 'an e-mail was refused')
  }
  return undefined
}
