import type { Client } from '../data/client.ts'
import type { Access } from '../data/database.ts'
import { Refusal } from '../errors.ts'
import {
  type Accounts,
  type Confirmation,
  confirmPassword,
  emailError,
  type MailSettings,
  passwordError,
} from './accounts.ts'
import { findEmailToken, unusableToken, useEmailToken } from './email-tokens.ts'
import { addMail, cancelEmailChanges, endReverts } from './mails.ts'
import type { Session } from './sessions.ts'
import { refuseInvalid } from './text.ts'
import { reportUnknownOutcome } from './write-outcome.ts'

function requireMail(mail: MailSettings | undefined): MailSettings {
  if (!mail) throw new Refusal('FORBIDDEN', 'This server sends no e-mail. Ask its operator.')
  return mail
}

/**
 * Requests to reset the passwords of the accounts of an address. A job looks for them, so neither the answer nor its time tells whether there
 * are any. Throws `VALIDATION_FAILED`, `FORBIDDEN` where no e-mail is sent, and `RATE_LIMITED`.
 */
export async function requestPasswordReset(
  { database, mail }: Accounts,
  email: string,
  address: string,
): Promise<void> {
  const { limits } = requireMail(mail)
  refuseInvalid(emailError(email))
  await limits?.countRequest('client', address)
  await addMail(database.write.prisma, 'reset', { email })
}

/**
 * Sets a new password with the token of a link, which also verifies the address. Revokes all tokens of the account, cancels changes of its
 * address, and returns its id. Throws `VALIDATION_FAILED`, and `UNAVAILABLE` when too many people are signing in.
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
      await cancelEmailChanges(transaction, userId)
      await transaction.accessToken.deleteMany({ where: { userId } })
      return userId
    }),
  )
}

/**
 * Uses the token of a link: verifies the address of an account, changes it, or reverts a change, which also removes its password and revokes all
 * its tokens. Returns the id of the account. Throws `VALIDATION_FAILED`.
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
      // Those of an earlier address.
      await transaction.emailToken.deleteMany({ where: { userId, kind: 'RESET', email: { not: email } } })
      if (kind === 'REVERT') await lockOut(transaction, userId, found.expiresAt)
      return userId
    }),
  )
}

/**
 * Locks out whoever knew the password: removes the password, for which the owner gets a link, the tokens, changes that were not confirmed, and
 * the links that would restore later addresses than this one.
 */
async function lockOut(transaction: Client, userId: string, expiresAt: Date): Promise<void> {
  await cancelEmailChanges(transaction, userId)
  await endReverts(transaction, userId, expiresAt)
  await transaction.accessToken.deleteMany({ where: { userId } })
  await transaction.user.update({ where: { id: userId }, data: { passwordHash: null }, select: { id: true } })
  // Whoever has asked for many others cannot keep this one away.
  await addMail(transaction, 'recovery', { userId })
}

/**
 * Sends a link to a new address of the viewer, which becomes theirs once they use it, and a notice to the old one. To the current address, it
 * sends the link that verifies it again, if it is not verified yet. Throws as `changePassword` does, `FORBIDDEN` where no e-mail is sent, and
 * `RATE_LIMITED`.
 */
export async function changeEmail(
  accounts: Accounts,
  session: Session,
  email: string,
  { address, ...confirmation }: Confirmation & { readonly address: string },
): Promise<void> {
  const { limits } = requireMail(accounts.mail)
  refuseInvalid(emailError(email))
  const confirm = await confirmPassword(accounts, session, confirmation, address)
  const userId = session.viewerId
  await limits?.countRequest('account', userId)
  await reportUnknownOutcome('do it again: an e-mail is sent once', () =>
    accounts.database.write.prisma.$transaction(async (transaction) => {
      await confirm(transaction)
      const account = await transaction.user.findUniqueOrThrow({ where: { id: userId } })
      if (account.email === email) return account.emailVerified || addMail(transaction, 'verification', { userId })
      await addMail(transaction, 'change', { userId, email })
      return addMail(transaction, 'notice', { userId, email })
    }),
  )
}
