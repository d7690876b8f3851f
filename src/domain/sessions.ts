import { LRUCache } from 'lru-cache'
import type { Database } from '../data/database.ts'
import { isUnavailable } from '../data/unavailable.ts'
import { Refusal } from '../errors.ts'
import { isScope, type Scope } from '../scopes.ts'
import { hashToken } from './tokens.ts'

/** What a valid token stands for. */
export type Session = {
  readonly tokenId: string
  readonly viewerId: string
  readonly scopes: ReadonlySet<Scope>
  /** The application that the token was issued to; what is sent with it is `from` that. */
  readonly applicationId: string | null
  readonly expiresAt: Date | null
}

/** How long a process goes on accepting a token that another one revoked, in milliseconds. */
const staleness = 5_000

/** How old the noted last use of a token gets while it is used, in milliseconds. */
const lastUsePrecision = 60_000

/** The sessions of bearer tokens, looked up at most once in five seconds each. */
export class Sessions {
  readonly #database: Database
  #cache = this.#newCache()

  constructor(database: Database) {
    this.#database = database
  }

  /** The session of a token, or undefined when it is unknown, revoked or expired. */
  async of(token: string): Promise<Session | undefined> {
    const session = await this.#cache.fetch(token)
    return session?.expiresAt && session.expiresAt <= new Date() ? undefined : session
  }

  /** Waits for a change that revokes tokens, and then forgets them, so that this process refuses them at once; also where its outcome is unknown. */
  async forgetAfter<T>(change: Promise<T>): Promise<T> {
    try {
      const result = await change
      this.forget()
      return result
    } catch (error) {
      if (error instanceof Refusal && error.code === 'OUTCOME_UNKNOWN') this.forget()
      throw error
    }
  }

  /** Forgets what is cached. */
  forget(): void {
    // Clearing it would fail the look-ups that are under way.
    this.#cache = this.#newCache()
  }

  #newCache(): LRUCache<string, Session> {
    return new LRUCache({ max: 10_000, ttl: staleness, fetchMethod: (token: string) => this.#find(token) })
  }

  async #find(token: string): Promise<Session | undefined> {
    const { runReserved } = this.#database
    const now = new Date()
    const [found] = await runReserved<TokenRow>(lookUp, [hashToken(token), now])
    if (found === undefined) return undefined
    if (!found.last_used_at || found.last_used_at.getTime() < now.getTime() - lastUsePrecision) {
      // A database that takes no writes now, say for want of disk, still answers reads.
      await runReserved(noteUse, [found.id, now]).catch((error: unknown) => {
        if (!isUnavailable(error)) throw error
      })
    }
    return {
      tokenId: found.id,
      viewerId: found.user_id,
      scopes: new Set(found.scopes.filter(isScope)),
      applicationId: found.application_id,
      expiresAt: found.expires_at,
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
}

/** Finds a token that is not expired. */
const lookUp = `
  select id, user_id, scopes, application_id, expires_at, last_used_at from access_tokens
  where hash = $1 and (expires_at is null or expires_at > $2::timestamptz)`

/** Notes the use of a token, unless its row is being changed. */
const noteUse = `
  update access_tokens set last_used_at = $2::timestamptz
  where id = (select id from access_tokens where id = $1::uuid for no key update skip locked)`
