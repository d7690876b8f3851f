import { hashToken, newToken } from '../../../engine/auth/viewers.ts'
import type { Client } from '../../../engine/data/client.ts'
import type { Access } from '../../../engine/data/database.ts'
import { invalid } from '../../../engine/errors.ts'

/** How long somebody has to enter a code after the password, in minutes. */
export const challengeMinutes = 5

/** How many challenges of an account work at once. */
const kept = 10

/**
 * Makes a challenge for an account whose password was right, in a transaction that has locked it. It continues the sign-in, or adds a
 * passkey if a code was right, too. Only its hash is stored.
 */
export async function addChallenge(transaction: Client, userId: string, addsPasskey = false): Promise<string> {
  const challenge = newToken()
  await transaction.$executeRaw`
    delete from sign_in_challenges where hash in (
      select hash from sign_in_challenges where user_id = ${userId}::uuid order by expires_at desc offset ${kept - 1}::int)`
  await transaction.$executeRaw`
    insert into sign_in_challenges (hash, user_id, adds_passkey, expires_at)
    values (
      ${hashToken(challenge)}, ${userId}::uuid, ${addsPasskey}, now() + make_interval(mins => ${challengeMinutes}::int))`
  return challenge
}

/** What answers the challenge of a sign-in. */
export type Proof = {
  /**
   * Checks it for the account of the challenge. Returns what uses it in a transaction that has locked the account, which returns false if
   * it was used meanwhile; undefined if it is wrong.
   */
  readonly check: (userId: string) => Promise<((transaction: Client) => Promise<boolean>) | undefined>
  /** What to say of a wrong one. */
  readonly wrong: string
}

/** The refusal of a challenge that cannot be used. */
export const unusableChallenge = () => invalid({ field: 'challenge', message: 'is wrong, was used or has expired' })

/** The account of a challenge, of one that continues a sign-in or adds a passkey. Throws `VALIDATION_FAILED`. */
export async function accountOfChallenge(
  { write: { prisma } }: Access,
  challenge: string,
  addsPasskey = false,
): Promise<string> {
  const [found] = await prisma.$queryRaw<{ user_id: string }[]>`
    select user_id from sign_in_challenges
    where hash = ${hashToken(challenge)} and adds_passkey = ${addsPasskey} and expires_at > now()`
  if (!found) throw unusableChallenge()
  return found.user_id
}

/** Ends a challenge in a transaction that has locked its account. Returns false if it has ended already. */
export async function endChallenge(transaction: Client, challenge: string): Promise<boolean> {
  const { count } = await transaction.signInChallenge.deleteMany({ where: { hash: hashToken(challenge) } })
  return count > 0
}

/** Removes the challenges that have expired. */
export async function removeExpiredChallenges({ write: { prisma } }: Access): Promise<void> {
  await prisma.$executeRaw`delete from sign_in_challenges where expires_at <= now()`
}
