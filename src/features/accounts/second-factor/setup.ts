import type { Viewer } from '../../../engine/auth/viewers.ts'
import type { Client } from '../../../engine/data/client.ts'
import type { Access } from '../../../engine/data/database.ts'
import { forbidden, invalid, Refusal } from '../../../engine/errors.ts'
import { refuseInvalid, textError } from '../../base/input-rules.ts'
import { lockAccount } from '../../base/lock-account.ts'
import { addNotice } from '../../mail/jobs.ts'
import type { Owner } from '../access-tokens.ts'
import type { Accounts } from '../accounts.ts'
import { type Confirmation, confirmPassword } from '../password-changes.ts'
import { type AuthenticatorSetup, type Authenticators, secretForm } from './authenticators.ts'
import { hasSecondFactor } from './codes.ts'
import { addRecoveryCodes, ungrouped } from './recovery-codes.ts'

function requireAuthenticators({ authenticators }: Accounts): Authenticators {
  if (authenticators) return authenticators
  throw forbidden('NO_SECRETS_KEY', 'This server has no key for second factors. Ask its operator.')
}

const alreadyThere = () =>
  new Refusal('CONFLICT', 'The account already has a second factor: remove it before you set up another one.')

/** The refusal of what needs the second factor of an account that has none. */
export const noSecondFactor = () => new Refusal('NOT_FOUND', 'The account has no second factor.')

/**
 * Makes a secret for the authenticator app of the viewer. Nothing is stored before `setSecondFactor` gets it back. Throws `FORBIDDEN`
 * where the operator has set no key, and `CONFLICT` for an account that has a second factor.
 */
export async function beginSecondFactor(accounts: Accounts, { id }: Viewer): Promise<AuthenticatorSetup> {
  const authenticators = requireAuthenticators(accounts)
  const { prisma } = accounts.database.write
  if (await hasSecondFactor(prisma, id)) throw alreadyThere()
  const { username } = await prisma.user.findUniqueOrThrow({ where: { id }, select: { username: true } })
  return authenticators.setupOf(username)
}

/** How many recovery codes an account has left; undefined if it has no second factor. */
export async function recoveryCodesLeft(client: Client, userId: string): Promise<number | undefined> {
  const include = { _count: { select: { recoveryCodes: true } } } as const
  return (await client.secondFactor.findUnique({ where: { userId }, include }))?._count.recoveryCodes
}

/** The secret of the app of an account, a code that the app made from it, and the current password. */
type Setup = { readonly secret: string; readonly code: string; readonly password: string }

/**
 * Gives the viewer a second factor, and returns its recovery codes, which are shown only once. Tokens stay as they are. Throws as
 * `beginSecondFactor` does, `VALIDATION_FAILED` for a wrong password or code, and `RATE_LIMITED` after many wrong passwords.
 */
export async function setSecondFactor(
  accounts: Accounts,
  owner: Owner,
  { secret, code, password }: Setup,
  address: string,
): Promise<readonly string[]> {
  const { id: userId } = owner
  const authenticators = requireAuthenticators(accounts)
  refuseInvalid(textError('secret', secret, secretForm))
  try {
    const change = await confirmPassword(accounts, owner, { password }, address)
    const lastStep = authenticators.stepOf(secret, ungrouped(code))
    if (lastStep === undefined) throw invalid({ field: 'code', message: 'is wrong: check the clock of your device' })
    return await change('read the second factor', async (transaction) => {
      await transaction.secondFactor.create({ data: { userId, secret: authenticators.seal(userId, secret), lastStep } })
      if (accounts.mail) await addNotice(transaction, userId, 'second-factor-notice')
      return addRecoveryCodes(transaction, userId)
    })
  } catch (error) {
    throw error instanceof Refusal && error.code === 'SECOND_FACTOR_REQUIRED' ? alreadyThere() : error
  }
}

/**
 * Removes the second factor of the viewer, with its recovery codes and passkeys. Throws as `changePassword` does, and `NOT_FOUND` if
 * there is none.
 */
export async function removeSecondFactor(
  accounts: Accounts,
  owner: Owner,
  confirmation: Confirmation,
  address: string,
): Promise<void> {
  const change = await confirmPassword(accounts, owner, confirmation, address)
  await change('read the second factor', async (transaction) => {
    const { count } = await transaction.secondFactor.deleteMany({ where: { userId: owner.id } })
    if (count === 0) throw noSecondFactor()
    await transaction.signInChallenge.deleteMany({ where: { userId: owner.id } })
    if (accounts.mail) await addNotice(transaction, owner.id, 'second-factor-removal-notice')
  })
}

/**
 * Replaces the recovery codes of the viewer, and returns the new ones, which are shown only once. Throws as `removeSecondFactor` does.
 */
export async function renewRecoveryCodes(
  accounts: Accounts,
  owner: Owner,
  confirmation: Confirmation,
  address: string,
): Promise<readonly string[]> {
  const { id: userId } = owner
  const change = await confirmPassword(accounts, owner, confirmation, address)
  return change('renew the recovery codes again', async (transaction) => {
    if (!(await hasSecondFactor(transaction, userId))) throw noSecondFactor()
    await transaction.recoveryCode.deleteMany({ where: { userId } })
    if (accounts.mail) await addNotice(transaction, userId, 'recovery-codes-notice')
    return addRecoveryCodes(transaction, userId)
  })
}

/**
 * Removes the second factor of an account for the operator, for people who lost everything. Sign-ins that wait for a code end. Returns
 * whether there was one. It checks no token, so no surface serves it.
 */
export function removeSecondFactorOf(
  { write: { prisma } }: Access,
  userId: string,
  sendsMail: boolean,
): Promise<boolean> {
  return prisma.$transaction(async (transaction) => {
    await lockAccount(transaction, userId)
    const { count } = await transaction.secondFactor.deleteMany({ where: { userId } })
    await transaction.signInChallenge.deleteMany({ where: { userId } })
    if (count > 0 && sendsMail) await addNotice(transaction, userId, 'second-factor-removal-notice')
    return count > 0
  })
}
