import { mapMaybePromise } from '@whatwg-node/promise-helpers'
import { LRUCache } from 'lru-cache'
import type { Database } from '../data/database.ts'
import type { Audience } from '../data/generated/prisma/enums.ts'
import { isUnavailable } from '../data/unavailable.ts'
import { everyScope, isScope, type Scope, scopesOfAccount } from '../scopes.ts'
import { hashToken } from './tokens.ts'

/** Who asks: the account, the scopes and the application of a valid token. */
export type Viewer = {
  readonly tokenId: string
  readonly id: string
  readonly scopes: ReadonlySet<Scope>
  /** The application that the token was issued to. Publications that are sent with the token are `from` it. */
  readonly applicationId: string | null
  /** The authorization that the token ends with. */
  readonly grantId: string | null
  /** The only place that accepts the token; null for all. */
  readonly audience: Audience | null
  readonly expiresAt: Date | null
  /** Whether the account follows more than `manyFollowed` others, so that its home timeline is read in another way. */
  readonly followsMany: boolean
  /** Whether other accounts are hidden from this one, because one of them blocks the other, or because this one mutes them. */
  readonly hides: boolean
  /** Whether the account is suspended. No operation runs for such a viewer. */
  readonly isSuspended: boolean
}

/** How many accounts one follows at most before its home timeline is read in the way for many. */
export const manyFollowed = 300

/** How long a process still accepts a token that another process revoked, and does not know a first block by it, in milliseconds. */
export const staleness = 5_000

/** The age, in milliseconds, from which a viewer in use is looked up in the background, so that a busy database delays no request. */
const renewal = 2_500

/** How often the last use of a token is recorded, in milliseconds. */
const lastUsePrecision = 60_000

/** A lookup of a viewer, with the time at which it began, and once it is done, the viewer. */
type Lookup = {
  readonly finding: Promise<Viewer | undefined>
  readonly since: number
  viewer: Viewer | undefined
  isRenewed: boolean
}

/** The viewers of bearer tokens, cached until they are stale. A viewer in use is renewed before that. */
export class Viewers {
  readonly #database: Database
  readonly #cache = new LRUCache<string, Lookup>({ max: 10_000 })

  constructor(database: Database) {
    this.#database = database
  }

  /** The viewer of a token, at once if it is cached; undefined if the token is unknown, revoked or expired. */
  of(token: string): Viewer | undefined | Promise<Viewer | undefined> {
    const cached = this.#cache.get(token)
    const age = cached ? performance.now() - cached.since : Number.POSITIVE_INFINITY
    const lookup = cached && age < staleness ? cached : this.#lookUp(token)
    if (age >= renewal && lookup === cached && !cached.isRenewed) {
      cached.isRenewed = true
      this.#lookUp(token, cached)
    }
    return mapMaybePromise(lookup.viewer ?? lookup.finding, (viewer) =>
      viewer?.expiresAt && viewer.expiresAt <= new Date() ? undefined : viewer,
    )
  }

  /** Forgets the viewers of an account after a change that may have revoked tokens, so that this process refuses them at once. */
  forget(id: string): void {
    for (const [token, { viewer }] of this.#cache.entries()) {
      // A lookup under way may belong to the account, and leaves nothing once it is not in the cache.
      if (viewer === undefined || viewer.id === id) this.#cache.delete(token)
    }
  }

  /** Looks up a token. What it replaces stays in the cache until the lookup has succeeded. Neither failures nor unknown tokens are cached. */
  #lookUp(token: string, replaced?: Lookup): Lookup {
    const cache = this.#cache
    const lookup: Lookup = {
      finding: this.#find(token),
      since: performance.now(),
      viewer: undefined,
      isRenewed: false,
    }
    const cached = replaced ?? lookup
    cache.set(token, cached)
    const succeed = (viewer: Viewer | undefined) => {
      lookup.viewer = viewer
      if (cache.get(token) !== cached) return
      if (viewer) cache.set(token, lookup)
      else cache.delete(token)
    }
    const fail = () => {
      if (cache.get(token) === lookup) cache.delete(token)
    }
    lookup.finding.then(succeed, fail)
    return lookup
  }

  async #find(token: string): Promise<Viewer | undefined> {
    const { runReserved } = this.#database
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
    const scopes = new Set(isEvery ? scopesOfAccount(found.moderates) : found.scopes.filter(isScope))
    return {
      tokenId: found.id,
      id: found.user_id,
      scopes,
      applicationId: found.application_id,
      grantId: found.grant_id,
      audience: found.audience,
      expiresAt: found.expires_at,
      followsMany: found.follows_many,
      hides: found.hides,
      isSuspended: found.is_suspended,
    }
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
  readonly follows_many: boolean
  readonly hides: boolean
  readonly is_suspended: boolean
  readonly moderates: boolean
}

/** Finds a token that has not expired. */
const findToken = `
  select token.id, token.user_id, token.scopes, token.application_id, token.grant_id, token.audience, token.expires_at, token.last_used_at,
    account.following_count > $3::int as follows_many, account.suspended_at is not null as is_suspended,
    account.moderator_since is not null as moderates,
    exists (select from blocked_pairs where viewer_id = account.id)
      or exists (select from mutes where muter_id = account.id and (until is null or until > $2::timestamptz)) as hides
  from access_tokens token join users account on account.id = token.user_id
  where token.hash = $1 and (token.expires_at is null or token.expires_at > $2::timestamptz)`

/** Records the use of a token and of its authorization, except in rows that are locked. */
const recordUse = `
  with token as (
    update access_tokens set last_used_at = $2::timestamptz
    where id = (select id from access_tokens where id = $1::uuid for no key update skip locked) returning grant_id)
  update oauth_grants set last_used_at = $2::timestamptz
  where id = (select id from oauth_grants where id = (select grant_id from token) for no key update skip locked)`
