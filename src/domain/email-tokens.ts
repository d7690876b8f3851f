import type { Client } from '../data/client.ts'
import type { EmailTokenKind } from '../data/generated/prisma/enums.ts'
import { invalid } from '../errors.ts'
import { hashToken, newToken } from './tokens.ts'

const [minute, day] = [60, 86_400]

/** What the links in mails do: for how many seconds they work, and the page that they open. */
export const emailLinks = {
  /** Verifies the address of the account. */
  VERIFY: { seconds: 7 * day, page: 'verify' },
  /** Changes the address of the account to the one that gets the mail. */
  CHANGE: { seconds: day, page: 'verify' },
  /** Gives the account the address back that gets the mail, and ends its password and its tokens. */
  REVERT: { seconds: 7 * day, page: 'verify' },
  /** Sets a new password. */
  RESET: { seconds: 30 * minute, page: 'reset' },
} as const satisfies Record<EmailTokenKind, { seconds: number; page: 'verify' | 'reset' }>

/** How many links of a kind work at once for an account, so that one of two mails does not end the other. */
const kept = 3

/** A token of a link, as it is stored. */
export type EmailToken = {
  readonly kind: EmailTokenKind
  readonly userId: string
  readonly email: string
  readonly expiresAt: Date
}

/** Makes the token of a link. Only its hash is stored. */
export async function createEmailToken(
  client: Client,
  { kind, userId, email }: Omit<EmailToken, 'expiresAt'>,
): Promise<string> {
  const token = newToken()
  await client.$executeRaw`
    delete from email_tokens where expires_at <= now() and user_id = ${userId}::uuid or hash in (
      select hash from email_tokens where user_id = ${userId}::uuid and kind = ${kind}::email_token_kind
      order by expires_at desc offset ${kept - 1}::int)`
  await client.$executeRaw`
    insert into email_tokens (hash, kind, user_id, email, expires_at) values (${hashToken(token)}, ${kind}::email_token_kind,
      ${userId}::uuid, ${email}, now() + make_interval(secs => ${emailLinks[kind].seconds}::int))`
  return token
}

/** The refusal of a token that cannot be used. */
export const unusableToken = () => invalid({ field: 'token', message: 'is wrong, was used or has expired' })

/** The token of a link, if it can be used for one of these kinds. */
export async function findEmailToken(
  client: Client,
  token: string,
  kinds: readonly EmailTokenKind[],
): Promise<EmailToken> {
  const [found] = await client.$queryRaw<EmailToken[]>`
    select kind, user_id as "userId", email, expires_at as "expiresAt" from email_tokens
    where hash = ${hashToken(token)} and expires_at > now() and kind::text = any(${kinds}::text[])`
  if (!found) throw unusableToken()
  return found
}

/**
 * Uses the token of a link, in a transaction that locks its account first, as all writes of accounts do. Of two uses at the same time, one is
 * refused. Throws `VALIDATION_FAILED`.
 */
export async function useEmailToken(transaction: Client, token: string, { userId }: EmailToken): Promise<void> {
  await transaction.$queryRaw`select from users where id = ${userId}::uuid for no key update`
  const { count } = await transaction.emailToken.deleteMany({ where: { hash: hashToken(token) } })
  if (count === 0) throw unusableToken()
}
