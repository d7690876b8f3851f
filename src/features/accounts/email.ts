import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { forbidden } from '../../engine/errors.ts'
import type { Services } from '../../engine/execution/request-context.ts'
import { addJob } from '../../engine/jobs/jobs.ts'
import { refuseInvalid } from '../base/input-rules.ts'
import { addAddressChange, addMailTo, addNotice, cancelAddressChanges, endReverts } from '../mail/jobs.ts'
import { endEmailToken, findEmailToken, lockEmailToken, unusableToken } from '../mail/links.ts'
import { endTokensOf } from './access-tokens.ts'
import { type Accounts, endLinks, requireAddress } from './accounts.ts'
import { refusedDomainError } from './admission.ts'
import { type Confirmation, confirmPassword } from './password-changes.ts'
import { passwordError } from './password-rules.ts'
import { confirmCode } from './second-factor/codes.ts'

function requireMail(mail: Accounts['mail']): NonNullable<Accounts['mail']> {
  if (!mail) throw forbidden('NO_EMAIL', 'This server sends no e-mail. Ask its operator.')
  return mail
}

/**
 * Requests to reset the passwords of the accounts of an address. A job looks for them, so neither the answer nor its time tells
 * whether there are any. Throws `VALIDATION_FAILED`, `FORBIDDEN` where no e-mail is sent, and `RATE_LIMITED`.
 */
export async function requestPasswordReset(
  { database, mail }: Accounts,
  email: string,
  address: string,
): Promise<void> {
  const { limits } = requireMail(mail)
  const account = requireAddress(email)
  await limits?.countRequest('client', address)
  const options = { key: account, replaces: 'any' } as const
  await addJob(database.write.prisma, 'find-accounts-to-reset', { address: account }, options)
}

/** The token of a link, a new password, and a code if the account has a second factor. */
type PasswordReset = Pick<Confirmation, 'password' | 'code'> & { readonly token: string }

/**
 * Sets a new password with the token of a link, which also verifies the address, and a code if the account has a second factor. Revokes
 * all tokens of the account, cancels changes of its address, and returns its id. Throws `VALIDATION_FAILED`, `SECOND_FACTOR_REQUIRED`,
 * `RATE_LIMITED` after many wrong codes, and `UNAVAILABLE` when too many people are signing in.
 */
export async function resetPassword(
  accounts: Accounts,
  { token, password, code }: PasswordReset,
  address: string,
): Promise<string> {
  const { database, passwords, mail } = accounts
  const { prisma } = database.write
  const { userId } = await findEmailToken(prisma, token, ['RESET'])
  const select = { username: true, email: true } as const
  const names = await prisma.user.findUniqueOrThrow({ where: { id: userId }, select })
  refuseInvalid(await passwordError('password', password, names))
  const attempt = { address, account: userId }
  const useCode = await confirmCode(accounts, attempt, code)
  const passwordHash = await passwords.hash(password, attempt)
  return reportUnknownOutcome('sign in with the new password', () =>
    prisma.$transaction(async (transaction) => {
      const { email } = await lockEmailToken(transaction, token, ['RESET'])
      await useCode(transaction)
      await transaction.user.update({ where: { id: userId }, data: { passwordHash }, select: { id: true } })
      await transaction.user.updateMany({ where: { id: userId, email }, data: { emailVerified: true } })
      await endLinks(transaction, userId)
      await endTokensOf(transaction, userId)
      if (mail) await addNotice(transaction, userId, 'password-notice')
      return userId
    }),
  )
}

/**
 * Uses the token of a link: verifies the address of an account, changes it, or reverts a change, which also removes its password
 * and revokes all its tokens. Returns the id of the account. Throws `VALIDATION_FAILED`.
 */
export async function verifyEmail({ write: { prisma } }: Access, token: string): Promise<string> {
  return reportUnknownOutcome('read the e-mail address of the viewer', () =>
    prisma.$transaction(async (transaction) => {
      const found = await lockEmailToken(transaction, token, ['VERIFY', 'CHANGE', 'REVERT'])
      const { kind, userId, email } = found
      const where = kind === 'VERIFY' ? { id: userId, email } : { id: userId }
      const { count } = await transaction.user.updateMany({ where, data: { email, emailVerified: true } })
      // It is not the address of the account any more.
      if (count === 0) throw unusableToken()
      await endEmailToken(transaction, token, found)
      // Those of an earlier address.
      await transaction.emailToken.deleteMany({ where: { userId, kind: 'RESET', email: { not: email } } })
      if (kind !== 'VERIFY') await cancelAddressChanges(transaction, userId)
      if (kind === 'REVERT') await lockOut(transaction, userId, found.expiresAt)
      return userId
    }),
  )
}

/**
 * Locks out whoever knew the password: removes the password, for which the owner gets a link, the tokens, and the links that would restore
 * later addresses than this one.
 */
async function lockOut(transaction: Client, userId: string, expiresAt: Date): Promise<void> {
  await endReverts(transaction, userId, expiresAt)
  await endTokensOf(transaction, userId)
  await transaction.user.update({ where: { id: userId }, data: { passwordHash: null }, select: { id: true } })
  await addMailTo(transaction, userId, 'recovery')
}

/**
 * Sends a link to a new address of the viewer, which becomes theirs once they use it, and a notice to the old one. To the current
 * address, it sends the link that verifies it again, if it is not verified yet. Throws as `changePassword` does, `FORBIDDEN` where
 * no e-mail is sent, and `RATE_LIMITED`.
 */
export async function changeEmail(
  accounts: Accounts & Pick<Services, 'admission'>,
  viewer: Viewer,
  email: string,
  { address, ...confirmation }: Confirmation & { readonly address: string },
): Promise<void> {
  const { limits } = requireMail(accounts.mail)
  const wanted = requireAddress(email)
  const change = await confirmPassword(accounts, viewer, confirmation, address)
  const userId = viewer.id
  await limits?.countRequest('account', userId)
  await change('do it again: an e-mail is sent once', async (transaction) => {
    const account = await transaction.user.findUniqueOrThrow({ where: { id: userId } })
    if (account.email !== wanted) {
      refuseInvalid(refusedDomainError(wanted, accounts.admission))
      await addAddressChange(transaction, userId, wanted)
    } else if (!account.emailVerified) await addMailTo(transaction, userId, 'verification')
  })
}
