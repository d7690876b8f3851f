import { hashToken, newToken } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import type { EmailTokenKind } from '../../engine/data/generated/prisma/enums.ts'
import { invalid } from '../../engine/errors.ts'
import { lockAccount } from '../base/lock-account.ts'

/** What the links in e-mails do, how long they work, and the page that they open. */
export const emailLinks = {
  /** Verifies the address of the account. */
  VERIFY: { lifetime: '7 days', page: 'verify' },
  /** Changes the address of the account to the one that gets the e-mail. */
  CHANGE: { lifetime: '24 hours', page: 'verify' },
  /** Restores the address that gets the e-mail, removes the password, and revokes all tokens. */
  REVERT: { lifetime: '7 days', page: 'verify' },
  /** Sets a new password. */
  RESET: { lifetime: '30 minutes', page: 'reset' },
} as const satisfies Record<EmailTokenKind, { lifetime: string; page: 'verify' | 'reset' }>

/** The link with a token, for e-mails and for the output of commands. */
export function linkOf(publicUrl: string, kind: EmailTokenKind, token: string): string {
  return `${publicUrl}/${emailLinks[kind].page}?token=${token}`
}

/** How many links of a kind to one address work at once for an account, so that those of earlier e-mails still do. */
const kept = 3

/** A token of a link, as it is stored. */
type EmailToken = {
  readonly kind: EmailTokenKind
  readonly userId: string
  readonly email: string
  readonly expiresAt: Date
}

/** Makes the token of a link, which expires after the lifetime of its kind, or then. Only its hash is stored. */
export async function createEmailToken(
  client: Client,
  { kind, userId, email, expiresAt }: Omit<EmailToken, 'expiresAt'> & { readonly expiresAt?: Date | undefined },
): Promise<string> {
  const token = newToken()
  await client.$executeRaw`
    delete from email_tokens where hash in (
      select hash from email_tokens
      where user_id = ${userId}::uuid and kind = ${kind}::email_token_kind and email = ${email}
      order by expires_at desc offset ${kept - 1}::int)`
  await client.$executeRaw`
    insert into email_tokens (hash, kind, user_id, email, expires_at) values (${hashToken(token)}, ${kind}::email_token_kind,
      ${userId}::uuid, ${email}, coalesce(${expiresAt ?? null}::timestamptz, now() + ${emailLinks[kind].lifetime}::interval))`
  return token
}

/** Removes the tokens that have expired. */
export async function removeExpiredLinks({ write: { prisma } }: Access): Promise<void> {
  await prisma.$executeRaw`delete from email_tokens where expires_at <= now()`
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
 * The token of a link as it is once a transaction has locked its account, as all writes of accounts do: of two uses at the same
 * time, one finds what the other left. Throws `VALIDATION_FAILED`.
 */
export async function lockEmailToken(
  transaction: Client,
  token: string,
  kinds: readonly EmailTokenKind[],
): Promise<EmailToken> {
  await lockAccount(transaction, (await findEmailToken(transaction, token, kinds)).userId)
  return findEmailToken(transaction, token, kinds)
}

/**
 * Ends what the token of a link can do. If it has confirmed an address, it can do so again, which changes nothing, so that a second
 * click on a link is no failure.
 */
export async function endEmailToken(transaction: Client, token: string, { kind }: EmailToken): Promise<void> {
  const where = { hash: hashToken(token) }
  if (kind === 'CHANGE') await transaction.emailToken.updateMany({ where, data: { kind: 'VERIFY' } })
  else if (kind !== 'VERIFY') await transaction.emailToken.deleteMany({ where })
}
