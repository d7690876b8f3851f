import type { Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import { invalid } from '../../engine/errors.ts'
import { refuseInvalid } from '../base/input-rules.ts'
import { addNotice } from '../mail/jobs.ts'
import { endTokensOf, type Hold, type Owner, writeAsOwner } from './access-tokens.ts'
import { type Accounts, endLinks } from './accounts.ts'
import { passwordError } from './password-rules.ts'
import { confirmCode } from './second-factor/codes.ts'

/** The current password, a new one, and a code if the account has a second factor. */
type PasswordChange = {
  readonly currentPassword: string
  readonly newPassword: string
  readonly code?: Confirmation['code']
}

/**
 * Changes the viewer's password, revokes all their other tokens, and cancels changes of their address. Throws `VALIDATION_FAILED`
 * when the current one or the code is wrong, `SECOND_FACTOR_REQUIRED`, `RATE_LIMITED` after many wrong ones, `UNAUTHENTICATED` if
 * the token in use was revoked meanwhile, and `UNAVAILABLE` when too many people are signing in.
 */
export async function changePassword(
  accounts: Accounts,
  viewer: Viewer,
  { currentPassword, newPassword, code }: PasswordChange,
  address: string,
): Promise<void> {
  const { id, tokenId } = viewer
  const select = { username: true, email: true } as const
  const names = await accounts.database.write.prisma.user.findUniqueOrThrow({ where: { id }, select })
  refuseInvalid(await passwordError('newPassword', newPassword, names))
  const confirmation = { password: currentPassword, code }
  const change = await confirmPassword(accounts, viewer, confirmation, address, { field: 'currentPassword' })
  const passwordHash = await accounts.passwords.hash(newPassword, { address, account: id })
  await change('sign in with the new password', async (transaction) => {
    await transaction.user.update({ where: { id }, data: { passwordHash }, select: { id: true } })
    await endTokensOf(transaction, id, tokenId)
    await endLinks(transaction, id)
    if (accounts.mail) await addNotice(transaction, id, 'password-notice')
  })
}

/** The password that the viewer gives to confirm a change, and a code of the second factor. */
export type Confirmation = {
  readonly password: string
  readonly code?: string | null | undefined
}

/** The field of the input that has the password, and how the change holds the account. */
type ConfirmationOptions = { readonly field?: string; readonly hold?: Hold }

/** Runs a change in one transaction, and throws `OUTCOME_UNKNOWN` with how to tell. */
type Change = <T>(howToCheck: string, write: (transaction: Client) => Promise<T>) => Promise<T>

/**
 * Checks the password of the owner, and the code if the account has a second factor. Returns what runs the change: its transaction
 * locks the account, checks that neither password nor token changed meanwhile, and uses the code. Both throw as `changePassword` does.
 */
export async function confirmPassword(
  accounts: Accounts,
  owner: Owner,
  { password, code }: Confirmation,
  address: string,
  { field = 'password', hold }: ConfirmationOptions = {},
): Promise<Change> {
  const { database, passwords, signInLimits } = accounts
  const { id } = owner
  const wrong = invalid({ field, message: 'is wrong' })
  const account = { where: { id }, select: { passwordHash: true } } as const
  const { passwordHash: known } = await database.write.prisma.user.findUniqueOrThrow(account)
  // Queued under the id: whoever guesses passwords by username has no token of the account.
  const attempt = { address, account: id }
  const verify = () => passwords.verify(password, known, attempt)
  if (!(await (signInLimits?.change(attempt, verify) ?? verify()))) throw wrong
  const useCode = await confirmCode(accounts, attempt, code)
  return (howToCheck, write) => {
    const confirmed = async (transaction: Client) => {
      const { passwordHash } = await transaction.user.findUniqueOrThrow(account)
      if (passwordHash !== known) throw wrong
      await useCode(transaction)
      return write(transaction)
    }
    return writeAsOwner(database, owner, howToCheck, confirmed, hold)
  }
}
