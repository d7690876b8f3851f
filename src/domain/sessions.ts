import { LRUCache } from 'lru-cache'
import type { Database } from '../data/database.ts'
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

  /** Forgets what is cached, so that this process refuses at once what was just revoked. */
  forget(): void {
    // Clearing it would fail the look-ups that are under way.
    this.#cache = this.#newCache()
  }

  #newCache(): LRUCache<string, Session> {
    return new LRUCache({ max: 10_000, ttl: staleness, fetchMethod: (token: string) => this.#find(token) })
  }

  async #find(token: string): Promise<Session | undefined> {
    const { read, write } = this.#database
    const found = await read.accessToken.findUnique({ where: { hash: hashToken(token) } })
    if (!found || (found.expiresAt && found.expiresAt <= new Date())) return undefined
    const noted = new Date(Date.now() - lastUsePrecision)
    if (!found.lastUsedAt || found.lastUsedAt < noted) {
      await write.accessToken.updateMany({ where: { id: found.id }, data: { lastUsedAt: new Date() } })
    }
    return {
      tokenId: found.id,
      viewerId: found.userId,
      scopes: new Set(found.scopes.filter(isScope)),
      applicationId: found.applicationId,
      expiresAt: found.expiresAt,
    }
  }
}
