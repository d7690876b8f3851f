import { hashToken, insufficientScope, newToken, type Viewer } from '../../engine/auth/viewers.ts'
import type { Client } from '../../engine/data/client.ts'
import type { Access } from '../../engine/data/database.ts'
import { type AccessToken, Prisma } from '../../engine/data/generated/prisma/client.ts'
import type { Audience } from '../../engine/data/generated/prisma/enums.ts'
import { newId } from '../../engine/data/ids.ts'
import { reportUnknownOutcome } from '../../engine/data/write-outcome.ts'
import { day } from '../../engine/day.ts'
import { forbidden, InvalidToken, invalid, notFound, Refusal } from '../../engine/errors.ts'
import type { Scope } from '../../engine/scopes.ts'
import { nameBounds } from '../base/bounds.ts'
import { refuseInvalid, textError } from '../base/input-rules.ts'
import { lockAccount } from '../base/lock-account.ts'
import { commonScopes, everyScope, tellsOwner } from '../base/scopes.ts'
import { addNotice } from '../mail/jobs.ts'

/** How many live tokens an account may have. */
export const maxTokens = 1000

/** A token that was just issued, which is shown only once, and its record. */
export type IssuedToken = { readonly token: string; readonly accessToken: AccessToken }

/** The properties of a token to issue. */
export type TokenRequest = {
  readonly userId: string
  readonly name: string
  /** By default all that the account may have now; with `everyScope` also later. */
  readonly scopes?: readonly Scope[] | typeof everyScope | undefined
  readonly expiresAt: Date | null
  readonly applicationId?: string | null
  /** The authorization that the token ends with, and the only place that accepts it. */
  readonly grantId?: string | null
  readonly audience?: Audience | null
  /** By default a new one. */
  readonly token?: string
}

/**
 * Issues a token, in a transaction that locks the account's row, so that the limit holds under concurrency. Expired tokens of the
 * account are deleted. Throws `CONFLICT` when it has the most live tokens it may have, and `FORBIDDEN` for scopes that it may not have.
 */
export async function issueToken(transaction: Client, request: TokenRequest): Promise<IssuedToken> {
  return issueTokenOfLocked(transaction, request, await lockAccount(transaction, request.userId))
}

/** Issues a token as `issueToken` does, where the transaction has locked the account, which may have these scopes. */
export async function issueTokenOfLocked(
  transaction: Client,
  request: TokenRequest,
  allowed: readonly Scope[],
): Promise<IssuedToken> {
  const { userId } = request
  // By the clock of the database, since that of one process may be wrong.
  await transaction.$executeRaw`delete from access_tokens where user_id = ${userId}::uuid and expires_at <= now()`
  const live = await transaction.accessToken.count({ where: { userId } })
  if (live >= maxTokens) throw new Refusal('CONFLICT', `An account has at most ${maxTokens} tokens: revoke one first.`)
  return storeToken(transaction, request, allowed)
}

/** Issues a token to an account that was created in the same transaction, which has no tokens to count or to delete. */
export function issueFirstToken(transaction: Client, request: TokenRequest): Promise<IssuedToken> {
  return storeToken(transaction, request, commonScopes)
}

async function storeToken(
  transaction: Client,
  { applicationId = null, token = newToken(), ...request }: TokenRequest,
  allowed: readonly Scope[],
): Promise<IssuedToken> {
  const wanted = request.scopes === everyScope ? [] : [...new Set(request.scopes ?? allowed)]
  const scopes = request.scopes === everyScope ? [everyScope] : wanted
  const beyond = wanted.filter((scope) => !allowed.includes(scope))
  if (beyond.length > 0) throw forbidden('NOT_A_MODERATOR', `Only moderators have the scope ${beyond.join(' and ')}.`)
  const data = { ...request, id: newId(), hash: hashToken(token), scopes, applicationId }
  return { token, accessToken: await transaction.accessToken.create({ data }) }
}

/** The properties of a token that the viewer creates. Expiry and application default to those of the token in use. */
type NewToken = {
  readonly name: string
  readonly scopes: readonly Scope[]
  readonly expiresAt?: Date | null | undefined
  readonly application?: string | null | undefined
}

/**
 * Creates a token for the viewer that has no more scopes, no later expiry and no other application than the token in use, and ends with the
 * same authorization. Its owner gets an e-mail if it can manage or export the account, or moderate.
 * Throws `VALIDATION_FAILED`, `INSUFFICIENT_SCOPE`, `FORBIDDEN`, `NOT_FOUND` for the application, `CONFLICT`, and `UNAUTHENTICATED`
 * if the token in use was revoked meanwhile.
 */
export async function createAccessToken(
  access: Access,
  viewer: Viewer,
  wanted: NewToken,
  sendsMail: boolean,
): Promise<IssuedToken> {
  const expiresAt = wanted.expiresAt ?? viewer.expiresAt
  const applicationId = wanted.application ?? viewer.applicationId
  refuseInvalid(
    textError('name', wanted.name, nameBounds),
    wanted.scopes.length === 0 ? { field: 'scopes', message: 'must name at least one scope' } : undefined,
    expiresAt && expiresAt <= new Date() ? { field: 'expiresAt', message: 'must be in the future' } : undefined,
  )
  const beyond = wanted.scopes.filter((scope) => !viewer.scopes.has(scope))
  if (beyond.length > 0) throw insufficientScope([beyond], viewer)
  if (viewer.expiresAt && expiresAt && expiresAt > viewer.expiresAt) {
    throw forbidden('LONGER_TOKEN', 'A token cannot create a token that expires later.')
  }
  if (viewer.applicationId && applicationId !== viewer.applicationId) {
    throw forbidden('OTHER_APPLICATION', 'A token of an application can only create tokens of the same application.')
  }
  return writeAsOwner(access, viewer, 'read the access tokens of the viewer', async (transaction) => {
    if (applicationId) await requireOwnApplication(transaction, viewer, applicationId)
    const { name, scopes } = wanted
    if (sendsMail && tellsOwner(scopes)) await addNotice(transaction, viewer.id, 'token-notice')
    const { id: userId, grantId, audience } = viewer
    return issueToken(transaction, { userId, name, scopes, expiresAt, applicationId, grantId, audience })
  })
}

/** How a write holds the account of its owner: also if it is suspended meanwhile, or not. */
export type Hold = { readonly evenSuspended: boolean }

const unlessSuspended: Hold = { evenSuspended: false }

/** Whose account is changed: the viewer, or who has signed in to the pages of the server. */
export type Owner = {
  readonly id: string
  /** The token in use; undefined on the pages, which use none. */
  readonly tokenId?: string
}

/**
 * A statement that locks the viewer's account and the token in use until the transaction ends. It returns the id of the account, or
 * no row if the token was revoked or has expired, or the account was suspended, since it was looked up.
 */
export function accountHeldByToken({ id, tokenId }: Required<Owner>, { evenSuspended } = unlessSuspended): Prisma.Sql {
  // The account is always locked before the token, so that there are no deadlocks.
  return Prisma.sql`
    with account as (
      select id from users where id = ${id}::uuid and (suspended_at is null or ${evenSuspended}::boolean) for no key update)
    select account.id from account join access_tokens token on token.user_id = account.id
    where token.id = ${tokenId}::uuid and (token.expires_at is null or token.expires_at > now()) for key share of token`
}

/** Locks the account of the owner until the transaction ends. Throws `UNAUTHENTICATED` if there is a token that is no longer valid. */
export async function holdAccount(transaction: Client, { id, tokenId }: Owner, hold = unlessSuspended): Promise<void> {
  if (tokenId === undefined) return void (await lockAccount(transaction, id))
  const held = await transaction.$queryRaw<unknown[]>(accountHeldByToken({ id, tokenId }, hold))
  if (held.length === 0) throw new InvalidToken()
}

/** Runs a write of the owner in one transaction as `holdAccount` does, and throws `OUTCOME_UNKNOWN` with how to tell. */
export function writeAsOwner<T>(
  { write: { prisma } }: Access,
  owner: Owner,
  howToCheck: string,
  write: (transaction: Client) => Promise<T>,
  hold = unlessSuspended,
): Promise<T> {
  return reportUnknownOutcome(howToCheck, () =>
    prisma.$transaction(async (transaction) => {
      await holdAccount(transaction, owner, hold)
      return write(transaction)
    }),
  )
}

async function requireOwnApplication(
  client: Client,
  { id: ownerId, applicationId }: Viewer,
  id: string,
): Promise<void> {
  if (id === applicationId) return
  const own = await client.application.findFirst({ where: { id, ownerId }, select: { id: true } })
  if (!own) throw notFound('application')
}

/** Revokes some tokens and the authorizations that they belong to, which could get others. Returns the number of the tokens. */
export async function endTokens(transaction: Client, where: Prisma.AccessTokenWhereInput): Promise<number> {
  const ended = await transaction.accessToken.findMany({ where, select: { grantId: true } })
  await transaction.accessToken.deleteMany({ where })
  await transaction.oauthGrant.deleteMany({ where: { id: { in: ended.flatMap(({ grantId }) => grantId ?? []) } } })
  return ended.length
}

/**
 * Revokes all tokens of an account, or all but one, in a transaction that has locked it, and returns their number. Applications
 * lose their authorizations, browsers the sign-in of the pages for these, and sign-ins that wait for a code end. The authorization
 * of the token that is kept stays, but gets no other token.
 */
export async function endTokensOf(transaction: Client, userId: string, kept?: string): Promise<number> {
  const { count } = await transaction.accessToken.deleteMany({ where: { userId, ...(kept && { id: { not: kept } }) } })
  await transaction.oauthRecord.deleteMany({ where: { userId } })
  await transaction.signInChallenge.deleteMany({ where: { userId } })
  await transaction.oauthGrant.deleteMany({ where: { userId, accessTokens: { none: {} } } })
  return count
}

/**
 * Revokes one of the viewer's tokens, and returns what `snapshot` reads of it just before. Throws `NOT_FOUND`, and `UNAUTHENTICATED` when
 * the token in use was revoked meanwhile.
 */
export function revokeAccessToken<T>(
  access: Access,
  viewer: Viewer,
  id: string,
  snapshot: (transaction: Client) => Promise<T>,
): Promise<T> {
  const end = async (transaction: Client) => {
    const before = await snapshot(transaction)
    if ((await endTokens(transaction, { id, userId: viewer.id })) === 0) throw notFound('access token')
    return before
  }
  const hold = { evenSuspended: id === viewer.tokenId }
  return writeAsOwner(access, viewer, 'read the access tokens of the viewer', end, hold)
}

/**
 * Revokes all of the viewer's tokens but the one in use, and returns their number. Throws `UNAUTHENTICATED` if that one was revoked
 * meanwhile.
 */
export function revokeOtherTokens(access: Access, viewer: Viewer): Promise<number> {
  return writeAsOwner(access, viewer, 'read the access tokens of the viewer', (transaction) =>
    endTokensOf(transaction, viewer.id, viewer.tokenId),
  )
}

/** The expiry of a token that is valid for this many days. */
export function daysFromNow(days: number): Date {
  if (!Number.isFinite(days) || days <= 0) throw invalid({ field: 'expiresAt', message: 'must be in the future' })
  return new Date(Date.now() + days * day)
}
