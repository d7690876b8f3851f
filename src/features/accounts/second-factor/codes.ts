import type { Client } from '../../../engine/data/client.ts'
import type { Access } from '../../../engine/data/database.ts'
import { Prisma } from '../../../engine/data/generated/prisma/client.ts'
import { forbidden, invalid, Refusal, tooOften } from '../../../engine/errors.ts'
import type { Services } from '../../../engine/execution/request-context.ts'
import type { Attempt } from '../passwords.ts'
import { longestWait } from '../sign-in-limits.ts'
import type { Proof } from './challenges.ts'
import { hashOfRecoveryCode, ungrouped } from './recovery-codes.ts'

/** What the checks of codes depend on. */
type CodeChecks = Pick<Services, 'signInLimits' | 'authenticators'> & { readonly database: Access }

/** A code that was right when it was checked: one of an app, for a time step, or a recovery code. */
type RightCode = { readonly step: number } | { readonly hash: Uint8Array<ArrayBuffer> }

/**
 * How many wrong codes of an app an account has before each further one has to wait, from whatever address and in whatever process, since
 * only those who know the password can try any. A right code ends this.
 */
export const freeCodes = 10

/** Whether an account has a second factor. */
export async function hasSecondFactor(client: Client, userId: string): Promise<boolean> {
  return (await client.secondFactor.count({ where: { userId } })) > 0
}

/** The refusal of what needs a second factor. A sign-in continues with the challenge. */
export const secondFactorRequired = (challenge?: string): Refusal =>
  new Refusal('SECOND_FACTOR_REQUIRED', 'Enter a code of your authenticator app, or a recovery code.', {
    ...(challenge !== undefined && { challenge }),
  })

/** When the wait after the last attempt ends. */
const waitEnd = Prisma.sql`
  attempted_at + make_interval(secs => least(power(2, least(attempts - ${freeCodes}::int, 30)), ${longestWait}::int))`

/** Counts an attempt, before its result is known. Throws `RATE_LIMITED` while the account has to wait. */
async function countAttempt({ write: { prisma } }: Access, userId: string): Promise<void> {
  const counted = await prisma.$executeRaw`
    update second_factors set attempts = attempts + 1, attempted_at = now()
    where user_id = ${userId}::uuid and (attempts < ${freeCodes}::int or ${waitEnd} <= now())`
  if (counted > 0) return
  const [waiting] = await prisma.$queryRaw<{ wait: number }[]>`
    select extract(epoch from ${waitEnd} - now())::float8 as wait from second_factors where user_id = ${userId}::uuid`
  if (waiting) throw tooOften('There were too many wrong codes.', waiting.wait * 1_000)
}

/**
 * Finds out whether a code is right. Throws `FORBIDDEN` where codes of apps cannot be checked, and `RATE_LIMITED` after many wrong ones.
 * Recovery codes cannot be guessed, so they work while those of the app have to wait.
 */
async function findCode({ database, authenticators }: CodeChecks, userId: string, code: string) {
  const { prisma } = database.write
  const digits = ungrouped(code)
  if (/^\d{6}$/.test(digits)) {
    const factor = await prisma.secondFactor.findUnique({ where: { userId } })
    if (!factor) return undefined
    const secret = authenticators?.open(userId, factor.secret)
    if (!authenticators || secret === undefined)
      throw forbidden('NO_SECRETS_KEY', 'This server cannot check the codes of apps now: use a recovery code.')
    await countAttempt(database, userId)
    const step = authenticators.stepOf(secret, digits)
    return step !== undefined && step > factor.lastStep ? { step } : undefined
  }
  const hash = hashOfRecoveryCode(code)
  return hash && (await prisma.recoveryCode.count({ where: { userId, hash } })) > 0 ? { hash } : undefined
}

/** Uses a code, in a transaction that has locked its account. Returns false if it was used since it was checked. */
async function useCode(transaction: Client, userId: string, code: RightCode): Promise<boolean> {
  if ('hash' in code) {
    const { count } = await transaction.recoveryCode.deleteMany({ where: { userId, hash: code.hash } })
    if (count === 0) return false
    await transaction.secondFactor.updateMany({ where: { userId }, data: { attempts: 0 } })
    return true
  }
  const where = { userId, lastStep: { lt: code.step } }
  const { count } = await transaction.secondFactor.updateMany({ where, data: { lastStep: code.step, attempts: 0 } })
  return count > 0
}

/**
 * Checks a code of the app of an account, or a recovery code of it. Returns what uses it in a transaction that has locked the account,
 * which returns false if it was used meanwhile; undefined for a wrong code. Throws `RATE_LIMITED` after many wrong ones.
 */
async function checkCode(checks: CodeChecks, attempt: Attempt, code: string): ReturnType<Proof['check']> {
  const { account: userId } = attempt
  let right: RightCode | undefined
  const isRight = async () => {
    right = await findCode(checks, userId, code)
    return right !== undefined
  }
  await (checks.signInLimits?.code(attempt, isRight) ?? isRight())
  const found = right
  return found && ((transaction) => useCode(transaction, userId, found))
}

/** The proof that a code is that of the account. */
export const codeProof = (checks: CodeChecks, code: string, address: string): Proof => ({
  wrong: 'The code is wrong or was already used.',
  check: (userId) => checkCode(checks, { account: userId, address }, code),
})

const wrongCode = () => invalid({ field: 'code', message: 'is wrong or was already used' })

/**
 * Checks the code that confirms a change, if the account has a second factor. Returns what uses it in the transaction of the change,
 * which has locked the account. Both throw `SECOND_FACTOR_REQUIRED` without a code, `VALIDATION_FAILED` for a wrong one, and
 * `RATE_LIMITED`.
 */
export async function confirmCode(
  checks: CodeChecks,
  attempt: Attempt,
  code: string | null | undefined,
): Promise<(transaction: Client) => Promise<void>> {
  const { account: userId } = attempt
  if (!(await hasSecondFactor(checks.database.write.prisma, userId)))
    return async (transaction) => {
      if (await hasSecondFactor(transaction, userId)) throw secondFactorRequired()
    }
  if (code == null) throw secondFactorRequired()
  const use = await checkCode(checks, attempt, code)
  if (!use) throw wrongCode()
  return async (transaction) => {
    if (!(await use(transaction))) throw wrongCode()
  }
}
