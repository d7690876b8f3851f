import { hashToken, type Viewer } from '../../engine/auth/viewers.ts'
import type { Database } from '../../engine/data/database.ts'
import type { Audience } from '../../engine/data/generated/prisma/enums.ts'
import { isUnavailable } from '../../engine/data/unavailable.ts'
import { everyScope, isScope, scopesOfAccount } from '../base/scopes.ts'
import { restrictionOf } from './restrictions.ts'

declare module '../../engine/auth/viewers.ts' {
  interface Viewer {
    /** The application that the token was issued to. Publications that are sent with the token are `from` it. */
    readonly applicationId: string | null
    /** The authorization that the token ends with. */
    readonly grantId: string | null
    /** When the account was created. */
    readonly joinedAt: Date
    /** Whether the account follows more than `manyFollowed` others, so that its home timeline is read in another way. */
    readonly followsMany: boolean
    /** Whether other accounts are hidden from this one, because one of them blocks the other, or because this one mutes them. */
    readonly hasBlocksOrMutes: boolean
  }
}

/** How many accounts one follows at most before its home timeline is read in the way for many. */
export const manyFollowed = 300

/** How often the last use of a token is recorded, in milliseconds. */
const lastUsePrecision = 60_000

/**
 * Finds the viewer of a token, and records the use of the token; undefined if the token is unknown, revoked or expired. `contact` is whom
 * suspended people can write to.
 */
export async function findViewer(
  { runReserved }: Pick<Database, 'runReserved'>,
  token: string,
  contact?: string | undefined,
): Promise<Viewer | undefined> {
  const now = new Date()
  const [found] = await runReserved<TokenRow>(findToken, [hashToken(token), now, manyFollowed])
  if (found === undefined) return undefined
  // A clock that was ahead may have dated the last use.
  const sinceUse = Math.abs(now.getTime() - (found.last_used_at?.getTime() ?? 0))
  if (sinceUse > lastUsePrecision) {
    // A database that accepts no writes, for example because the disk is full, still serves reads.
    await runReserved(recordUse, [found.id, now]).catch((error: unknown) => {
      if (!isUnavailable(error)) throw error
    })
  }
  const isEvery = found.scopes.includes(everyScope)
  const grantable = scopesOfAccount(found.moderates)
  const scopes = new Set(isEvery ? grantable : found.scopes.filter(isScope))
  return {
    tokenId: found.id,
    id: found.user_id,
    scopes,
    grantable,
    applicationId: found.application_id,
    grantId: found.grant_id,
    audience: found.audience,
    expiresAt: found.expires_at,
    joinedAt: found.joined_at,
    followsMany: found.follows_many,
    hasBlocksOrMutes: found.has_blocks_or_mutes,
    restriction: restrictionOf(found, contact),
  }
}

type TokenRow = {
  readonly id: string
  readonly user_id: string
  readonly scopes: readonly string[]
  readonly application_id: string | null
  readonly grant_id: string | null
  readonly audience: Audience | null
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly joined_at: Date
  readonly follows_many: boolean
  readonly has_blocks_or_mutes: boolean
  readonly suspended_at: Date | null
  /** The reason of the suspension; null if none was given. */
  readonly suspension_reason: string | null
  /** Whether it waits for approval. */
  readonly is_pending: boolean
  readonly moderates: boolean
}

/** Finds a token that has not expired, and whose application is not refused. */
const findToken = `
  select token.id, token.user_id, token.scopes, token.application_id, token.grant_id, token.audience, token.expires_at, token.last_used_at,
    account.joined_at, account.following_count > $3::int as follows_many, account.suspended_at,
    case when account.suspended_at is not null then suspension_reason(account.id) end as suspension_reason,
    account.moderator_since is not null as moderates,
    exists (select from pending_accounts where id = account.id) as is_pending,
    exists (select from blocked_pairs where viewer_id = account.id)
      or exists (select from mutes where muter_id = account.id and (until is null or until > $2::timestamptz)) as has_blocks_or_mutes
  from access_tokens token join users account on account.id = token.user_id
  where token.hash = $1 and (token.expires_at is null or token.expires_at > $2::timestamptz)
    and (token.application_id is null or account.suspended_at is not null
      or not exists (select from refused_applications refused where refused.id = token.application_id))`

/** Records the use of a token and of its authorization, except in rows that are locked. */
const recordUse = `
  with token as (
    update access_tokens set last_used_at = $2::timestamptz
    where id = (select id from access_tokens where id = $1::uuid for no key update skip locked) returning grant_id)
  update oauth_grants set last_used_at = $2::timestamptz
  where id = (select id from oauth_grants where id = (select grant_id from token) for no key update skip locked)`
