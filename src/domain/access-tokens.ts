import { v7 as newId } from 'uuid'
import type { Client } from '../data/client.ts'
import type { Database } from '../data/database.ts'
import { type AccessToken, Prisma } from '../data/generated/prisma/client.ts'
import { type FieldError, InvalidToken, invalid, notFound, Refusal } from '../errors.ts'
import type { Scope } from '../scopes.ts'
import { insufficientScope } from './access.ts'
import type { Session } from './sessions.ts'
import { refuseInvalid, textError } from './text.ts'
import { hashToken, newToken } from './tokens.ts'
import { writing } from './writing.ts'

/** How many live tokens an account has at most. */
export const maxTokens = 1000

/** How long the name of a token is, in code points. */
export const nameBounds = { min: 1, max: 50 } as const

/** What is wrong with the name of a token, if anything. */
export function tokenNameError(name: string): FieldError | undefined {
  return textError('name', name, nameBounds)
}

/** Holds an account's row until the transaction ends, so that what is counted or compared under it stays so. */
export async function lockAccount(transaction: Client, userId: string): Promise<void> {
  await transaction.$queryRaw`select id from users where id = ${userId}::uuid for no key update`
}

/** A token that was just issued: its text, which is shown this once, and its record. */
export type IssuedToken = { readonly token: string; readonly accessToken: AccessToken }

/** What a new token is to be. */
export type TokenRequest = {
  readonly userId: string
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt: Date | null
  readonly applicationId?: string | null
}

/**
 * Issues a token, in a transaction that holds the account's row, so that the bound holds under concurrency. Expired tokens of the
 * account go. Throws `CONFLICT` when it has a thousand live ones.
 */
export async function issueToken(
  transaction: Client,
  { userId, applicationId = null, ...rest }: TokenRequest,
): Promise<IssuedToken> {
  await lockAccount(transaction, userId)
  await transaction.accessToken.deleteMany({ where: { userId, expiresAt: { lte: new Date() } } })
  const live = await transaction.accessToken.count({ where: { userId } })
  if (live >= maxTokens) throw new Refusal('CONFLICT', `An account has at most ${maxTokens} tokens: revoke one first.`)
  const token = newToken()
  const data = {
    ...rest,
    id: newId(),
    hash: hashToken(token),
    scopes: [...new Set(rest.scopes)],
    userId,
    applicationId,
  }
  return { token, accessToken: await transaction.accessToken.create({ data }) }
}

/** What the viewer asks of a new token; without an expiry or an application it has those of the token that makes it. */
export type NewToken = {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt?: Date | null | undefined
  readonly application?: string | null | undefined
}

/**
 * Issues a token to the viewer that grants no more than the one in use: no other scope, no longer life, no other application.
 * Throws `VALIDATION_FAILED`, `INSUFFICIENT_SCOPE`, `FORBIDDEN`, `NOT_FOUND` for the application, `CONFLICT`, and `UNAUTHENTICATED`
 * when the token in use was revoked meanwhile.
 */
export async function createAccessToken({ write }: Database, session: Session, wanted: NewToken): Promise<IssuedToken> {
  const expiresAt = wanted.expiresAt ?? session.expiresAt
  const applicationId = wanted.application ?? session.applicationId
  refuseInvalid(
    tokenNameError(wanted.name),
    wanted.scopes.length === 0 ? { field: 'scopes', message: 'must name at least one scope' } : undefined,
    expiresAt && expiresAt <= new Date() ? { field: 'expiresAt', message: 'must be in the future' } : undefined,
  )
  const beyond = wanted.scopes.filter((scope) => !session.scopes.has(scope))
  if (beyond.length > 0) throw insufficientScope([beyond])
  if (session.expiresAt && expiresAt && expiresAt > session.expiresAt) {
    throw new Refusal('FORBIDDEN', 'A token cannot make one that outlives it.')
  }
  if (session.applicationId && applicationId !== session.applicationId) {
    throw new Refusal('FORBIDDEN', 'A token of an application cannot make one of another.')
  }
  const work = async (transaction: Client) => {
    await holdAccountByToken(transaction, session)
    if (applicationId) await requireOwnApplication(transaction, session, applicationId)
    const { name, scopes } = wanted
    return issueToken(transaction, { userId: session.viewerId, name, scopes, expiresAt, applicationId })
  }
  return writing('read the access tokens of the viewer', () => write.$transaction(work))
}

/**
 * A statement that holds the viewer's account and the token in use until the transaction ends. It answers the id of the account, or
 * nothing where the token was revoked or has expired since it was looked up.
 */
export function accountHeldByToken({ viewerId, tokenId }: Session): Prisma.Sql {
  // The account comes first, as wherever both are held, so that nobody waits for each other.
  return Prisma.sql`
    with account as (select id from users where id = ${viewerId}::uuid for no key update)
    select account.id from account join access_tokens token on token.user_id = account.id
    where token.id = ${tokenId}::uuid and (token.expires_at is null or token.expires_at > now()) for key share of token`
}

/** Holds the viewer's account until the transaction ends. Throws `UNAUTHENTICATED` where the token in use no longer works. */
export async function holdAccountByToken(transaction: Client, session: Session): Promise<void> {
  const held = await transaction.$queryRaw<unknown[]>(accountHeldByToken(session))
  if (held.length === 0) throw new InvalidToken()
}

async function requireOwnApplication(client: Client, { viewerId, applicationId }: Session, id: string): Promise<void> {
  if (id === applicationId) return
  const own = await client.application.findFirst({ where: { id, ownerId: viewerId }, select: { id: true } })
  if (!own) throw notFound('application')
}

/**
 * Revokes a token of the viewer's and answers what it was. Throws `NOT_FOUND`, and `UNAUTHENTICATED` when the token in use was
 * revoked meanwhile.
 */
export async function revokeAccessToken({ write }: Database, session: Session, id: string): Promise<AccessToken> {
  const work = async (transaction: Client) => {
    await holdAccountByToken(transaction, session)
    const where = { id, userId: session.viewerId }
    const token = await transaction.accessToken.findFirst({ where })
    const { count } = await transaction.accessToken.deleteMany({ where })
    if (!token || count === 0) throw notFound('access token')
    return token
  }
  return writing('read the access tokens of the viewer', () => write.$transaction(work))
}

/** A day in milliseconds. */
export const day = 86_400_000

/** When a token expires that is to live for so many days. */
export function daysFromNow(days: number): Date {
  if (!Number.isFinite(days) || days <= 0) throw invalid({ field: 'expiresAt', message: 'must be in the future' })
  return new Date(Date.now() + days * day)
}
