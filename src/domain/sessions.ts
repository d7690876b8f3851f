import { mapMaybePromise } from '@whatwg-node/promise-helpers'
import { LRUCache } from 'lru-cache'
import type { Database } from '../data/database.ts'
import { isUnavailable } from '../data/unavailable.ts'
import { isScope, type Scope } from '../scopes.ts'
import { hashToken } from './tokens.ts'

/** The account, the scopes and the application of a valid token. */
export type Session = {
  readonly tokenId: string
  readonly viewerId: string
  readonly scopes: ReadonlySet<Scope>
  /** The application that the token was issued to. Publications that are sent with the token are `from` it. */
  readonly applicationId: string | null
  readonly expiresAt: Date | null
  /** Whether the account follows more than `manyFollowed` others, so that its home timeline is read in another way. */
  readonly followsMany: boolean
  /** Whether other accounts are hidden from this one, because one of them blocks the other, because this one mutes them, or because they are being deleted. */
  readonly hides: boolean
  /** Whether the account is suspended. No operation runs for such a session. */
  readonly isSuspended: boolean
}

/** Whether nobody is hidden from an account with these scopes, a moderator. */
export const seesHidden = (scopes: ReadonlySet<Scope>) => scopes.has('moderation.manage')

/** How many accounts one follows at most before its home timeline is read in the way for many. */
export const manyFollowed = 300

/** How long a process still accepts a token that another process revoked, and does not know a first block by it, in milliseconds. */
export const staleness = 5_000

/** The age, in milliseconds, from which a session in use is looked up in the background, so that a busy database delays no request. */
const renewal = 2_500

/** How often the last use of a token is recorded, in milliseconds. */
const lastUsePrecision = 60_000

/** A lookup of a session, with the time at which it began, and once it is done, the session. */
type Lookup = {
  readonly finding: Promise<Session | undefined>
  readonly since: number
  session: Session | undefined
  isRenewed: boolean
}

/** The sessions of bearer tokens, cached until they are stale. A session in use is renewed before that. */
export class Sessions {
  readonly #database: Database
  readonly #cache = new LRUCache<string, Lookup>({ max: 10_000 })

  constructor(database: Database) {
    this.#database = database
  }

  /** The session of a token, at once if it is cached; undefined if the token is unknown, revoked or expired. */
  of(token: string): Session | undefined | Promise<Session | undefined> {
    const cached = this.#cache.get(token)
    const age = cached ? performance.now() - cached.since : Number.POSITIVE_INFINITY
    const lookup = cached && age < staleness ? cached : this.#lookUp(token)
    if (age >= renewal && lookup === cached && !cached.isRenewed) {
      cached.isRenewed = true
      this.#lookUp(token, cached)
    }
    return mapMaybePromise(lookup.session ?? lookup.finding, (session) =>
      session?.expiresAt && session.expiresAt <= new Date() ? undefined : session,
    )
  }

  /** Forgets the sessions of an account after a change that may have revoked tokens, so that this process refuses them at once. */
  forget(viewerId: string): void {
    for (const [token, { session }] of this.#cache.entries()) {
      // A lookup under way may belong to the account, and leaves nothing once it is not in the cache.
      if (session === undefined || session.viewerId === viewerId) this.#cache.delete(token)
    }
  }

  /** Forgets all sessions when an account is deleted, so that they hide it at once. */
  forgetAll(): void {
    this.#cache.clear()
  }

  /** Looks up a token. What it replaces stays in the cache until the lookup has succeeded. Neither failures nor unknown tokens are cached. */
  #lookUp(token: string, replaced?: Lookup): Lookup {
    const cache = this.#cache
    const lookup: Lookup = {
      finding: this.#find(token),
      since: performance.now(),
      session: undefined,
      isRenewed: false,
    }
    const cached = replaced ?? lookup
    cache.set(token, cached)
    const succeed = (session: Session | undefined) => {
      lookup.session = session
      if (cache.get(token) !== cached) return
      if (session) cache.set(token, lookup)
      else cache.delete(token)
    }
    const fail = () => {
      if (cache.get(token) === lookup) cache.delete(token)
    }
    lookup.finding.then(succeed, fail)
    return lookup
  }

  async #find(token: string): Promise<Session | undefined> {
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
    const scopes = new Set(found.scopes.filter(isScope))
    return {
      tokenId: found.id,
      viewerId: found.user_id,
      scopes,
      applicationId: found.application_id,
      expiresAt: found.expires_at,
      followsMany: found.follows_many,
      hides: found.hides && !seesHidden(scopes),
      isSuspended: found.is_suspended,
    }
  }
}

type TokenRow = {
  readonly id: string
  readonly user_id: string
  readonly scopes: readonly string[]
  readonly application_id: string | null
  readonly expires_at: Date | null
  readonly last_used_at: Date | null
  readonly follows_many: boolean
  readonly hides: boolean
  readonly is_suspended: boolean
}

/** Finds a token that has not expired. */
const findToken = `
  select token.id, token.user_id, token.scopes, token.application_id, token.expires_at, token.last_used_at,
    account.following_count > $3::int as follows_many, account.suspended_at is not null as is_suspended,
    exists (select from departures) or exists (select from hidings where viewer_id = account.id)
      or exists (select from mutes where muter_id = account.id and (until is null or until > $2::timestamptz)) as hides
  from access_tokens token join users account on account.id = token.user_id
  where token.hash = $1 and (token.expires_at is null or token.expires_at > $2::timestamptz)`

/** Records the use of a token, unless its row is locked. */
const recordUse = `
  update access_tokens set last_used_at = $2::timestamptz
  where id = (select id from access_tokens where id = $1::uuid for no key update skip locked)`
