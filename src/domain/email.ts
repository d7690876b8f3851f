import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { Refusal } from '../errors.ts'
import {
  type Accounts,
  type Confirmation,
  confirmPassword,
  emailError,
  type MailedAccounts,
  type MailSettings,
  passwordError,
} from './accounts.ts'
import { findEmailToken, unusableToken, useEmailToken } from './email-tokens.ts'
import { cancelJob } from './jobs.ts'
import { addMail, mailKey } from './mails.ts'
import type { Session } from './sessions.ts'
import { refuseInvalid } from './text.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

function requireMail(mail: MailSettings | undefined): MailSettings {
  if (!mail) throw new Refusal('FORBIDDEN', 'This server sends no e-mail. Ask its operator.')
  return mail
}

/**
 * Asks for new passwords of the accounts of an address. Whether there are any changes neither the answer nor its time: a job looks for them.
 * Throws `VALIDATION_FAILED`, `FORBIDDEN` where no mails are sent, and `RATE_LIMITED`.
 */
export async function requestPasswordReset(
  { database, mail }: MailedAccounts,
  email: string,
  address: string,
): Promise<void> {
  const { limits } = requireMail(mail)
  refuseInvalid(emailError(email))
  await limits?.ask('client', address)
  await addMail(database.write.prisma, 'reset', { email: email.toLowerCase() })
}

/**
 * Sets a new password by the link of a mail, which proves the address. Revokes all tokens of the account, and returns its id. Throws
 * `VALIDATION_FAILED`, and `UNAVAILABLE` when too many people are signing in.
 */
export async function resetPassword(
  { database, passwords }: Accounts,
  { token, password }: { readonly token: string; readonly password: string },
  address: string,
): Promise<string> {
  refuseInvalid(passwordError('password', password))
  const { prisma } = database.write
  const found = await findEmailToken(prisma, token, ['RESET'])
  const { userId, email } = found
  const passwordHash = await passwords.hash(password, { address, account: userId })
  return reportUnknownOutcome('sign in with the new password', () =>
    prisma.$transaction(async (transaction) => {
      await useEmailToken(transaction, token, found)
      await transaction.user.update({ where: { id: userId }, data: { passwordHash }, select: { id: true } })
      await transaction.user.updateMany({ where: { id: userId, email }, data: { emailVerified: true } })
      await transaction.emailToken.deleteMany({ where: { userId, kind: 'RESET' } })
      await transaction.accessToken.deleteMany({ where: { userId } })
      return userId
    }),
  )
}

/**
 * Uses the link of a mail: verifies the address of an account, changes it, or takes a change back, which also ends its password and all its tokens. Returns
 * the id of the account. Throws `VALIDATION_FAILED`.
 */
export async function verifyEmail({ write: { prisma } }: Access, token: string): Promise<string> {
  const found = await findEmailToken(prisma, token, ['VERIFY', 'CHANGE', 'REVERT'])
  const { kind, userId, email } = found
  return reportUnknownOutcome('read the e-mail address of the viewer', () =>
    prisma.$transaction(async (transaction) => {
      await useEmailToken(transaction, token, found)
      const where = kind === 'VERIFY' ? { id: userId, email } : { id: userId }
      const { count } = await transaction.user.updateMany({ where, data: { email, emailVerified: true } })
      // It is not the address of the account any more.
      if (count === 0) throw unusableToken()
      await transaction.emailToken.deleteMany({ where: { userId, kind: { in: ['VERIFY', 'CHANGE'] } } })
      if (kind === 'REVERT') await takeBackChange(transaction, userId, found.expiresAt)
      return userId
    }),
  )
}

/**
 * Ends everything that somebody who knows the password has: the password, for which the owner gets a link, the tokens, a change that waits,
 * and the ways back to addresses that came later than the one whose link was used.
 */
async function takeBackChange(transaction: Client, userId: string, expiresAt: Date): Promise<void> {
  await cancelJob(transaction, 'send-mail', mailKey('change', { userId }))
  await transaction.emailToken.deleteMany({
    where: { userId, OR: [{ kind: 'RESET' }, { kind: 'REVERT', expiresAt: { gte: expiresAt } }] },
  })
  await transaction.accessToken.deleteMany({ where: { userId } })
  await transaction.user.update({ where: { id: userId }, data: { passwordHash: null }, select: { id: true } })
  await addMail(transaction, 'reset', { userId })
}

/**
 * Sends a link to a new address of the viewer, which becomes theirs once they use it, and a notice to the old one. To their own address,
 * which is not verified yet, it sends the link to verify it again. Throws as `changePassword` does, `FORBIDDEN` where no mails are sent, and
 * `RATE_LIMITED`.
 */
export async function changeEmail(
  accounts: MailedAccounts,
  session: Session,
  email: string,
  { address, ...confirmation }: Confirmation & { readonly address: string },
): Promise<void> {
  const { limits } = requireMail(accounts.mail)
  refuseInvalid(emailError(email))
  const confirm = await confirmPassword(accounts, session, confirmation, address)
  const userId = session.viewerId
  await limits?.ask('account', userId)
  await reportUnknownOutcome('do it again: a mail is sent once', () =>
    accounts.database.write.prisma.$transaction(async (transaction) => {
      await confirm(transaction)
      const account = await transaction.user.findUniqueOrThrow({ where: { id: userId } })
      if (account.email === email) return account.emailVerified || addMail(transaction, 'verification', { userId })
      await addMail(transaction, 'change', { userId, email })
      return addMail(transaction, 'notice', { userId, email })
    }),
  )
}
