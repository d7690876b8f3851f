import { createHash, randomBytes } from 'node:crypto'
import { mapMaybePromise } from '@whatwg-node/promise-helpers'
import { LRUCache } from 'lru-cache'
import { Refusal } from '../errors.ts'
import { type Scope, type ScopeSets, satisfies } from '../scopes.ts'

/** A new bearer token: a prefix that secret scanners recognize, and 256 random bits in base64url. */
export function newToken(): string {
  return `rookery_${randomBytes(32).toString('base64url')}`
}

/** The SHA-256 of a token, which is what is stored. The token has 256 bits of entropy, so no slower hash is needed. */
export function hashToken(token: string): Uint8Array<ArrayBuffer> {
  return Uint8Array.from(createHash('sha256').update(token).digest())
}

/** The text without bearer tokens, which a client may send where they do not belong. */
export function withoutTokens(text: string): string {
  return text.includes('rookery_') ? text.replaceAll(/rookery_[\w-]+/g, 'rookery_…') : text
}

/** Who asks: the account and the scopes of a valid token. An application adds what else it needs to know. */
export interface Viewer {
  readonly tokenId: string
  readonly id: string
  readonly scopes: ReadonlySet<Scope>
  /** The scopes that tokens of the account can have. */
  readonly grantable: readonly Scope[]
  /** The only place that accepts the token; null for all. */
  readonly audience: 'API' | 'MCP' | null
  readonly expiresAt: Date | null
  /** What keeps the viewer from what its scopes let it do, such as a suspension; null for nothing. */
  readonly restriction: Restriction | null
}

/** What a viewer does with a token: it uses a field that needs one, or an operation of REST. */
export type Use = {
  /** Whether it is a mutation. */
  readonly isWrite: boolean
  /** The scopes that it requires. */
  readonly sets: ScopeSets
  /** The restrictions of accounts that may do it all the same. */
  readonly staysOpenTo: readonly RestrictionName[]
}

/** Declares the restrictions of accounts: `declare module` adds them as properties. */
// biome-ignore lint/suspicious/noEmptyInterface: an application fills it.
export interface KnownRestrictions {}

/** The name of a restriction. */
export type RestrictionName = keyof KnownRestrictions

/** What an account may still do, whatever the scopes of its token are, and the one refusal for everything else. */
export type Restriction = {
  readonly permits: (use: Use) => boolean
  readonly refuse: () => Refusal
}

/** The use of what only reads and requires no scope. */
export const reading: Use = { isWrite: false, sets: [], staysOpenTo: [] }

/** How long a process still accepts a token that another process revoked, and does not know a first block by it, in milliseconds. */
export const staleness = 5_000

/** The age, in milliseconds, from which a viewer in use is looked up in the background, so that a busy database delays no request. */
const renewal = 2_500

/** A lookup of a viewer, with the time at which it began, and once it is done, the viewer. */
type Lookup = {
  readonly finding: Promise<Viewer | undefined>
  readonly since: number
  viewer: Viewer | undefined
  isRenewed: boolean
}

/** Finds the viewer of a token; undefined if the token is unknown, revoked or expired. */
type FindViewer = (token: string) => Promise<Viewer | undefined>

/** The viewers of bearer tokens, cached until they are stale. A viewer in use is renewed before that. */
export class TokenCache {
  readonly #find: FindViewer
  readonly #cache = new LRUCache<string, Lookup>({ max: 10_000 })

  constructor(find: FindViewer) {
    this.#find = find
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

  /**
   * Looks up a token. What it replaces stays in the cache until the lookup has succeeded. Neither failures nor unknown tokens are
   * cached.
   */
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
}

/** What the scopes of a token are compared with. */
type Granted = Pick<Viewer, 'scopes' | 'grantable'>

/** What a token lacks of the set of which it lacks least. Nothing where its account can have none of the sets. */
function leastMissing(sets: ScopeSets, viewer: Granted | undefined): readonly Scope[] {
  const possible = viewer ? sets.filter((set) => set.every((scope) => viewer.grantable.includes(scope))) : sets
  const lacking = possible.map((set) => set.filter((scope) => !viewer?.scopes.has(scope)))
  return lacking.toSorted((one, other) => one.length - other.length)[0] ?? []
}

/** `INSUFFICIENT_SCOPE` for a token that satisfies none of the sets that something requires. */
export function insufficientScope(requiredScopes: ScopeSets, viewer: Granted | undefined, what = 'This'): Refusal {
  const alternatives = requiredScopes.map((set) => set.join(' and ')).join(', or ')
  const missingScopes = leastMissing(requiredScopes, viewer)
  const noun = requiredScopes.flat().length === 1 ? 'scope' : 'scopes'
  const end = missingScopes.length === 0 ? ', which this account cannot have' : ''
  const message = `${what} requires a token with the ${noun} ${alternatives}${end}.`
  return new Refusal('INSUFFICIENT_SCOPE', message, { requiredScopes, missingScopes })
}

/** Throws `INSUFFICIENT_SCOPE` for a token that satisfies none of the sets. Without one, only an empty set is satisfied. */
export function requireScopes(viewer: Granted | undefined, sets: ScopeSets): void {
  if (!satisfies(viewer?.scopes ?? new Set(), sets)) throw insufficientScope(sets, viewer)
}

/** The refusal of a viewer's restriction; undefined if it permits the use. */
export function refusalOfRestricted(viewer: Pick<Viewer, 'restriction'> | undefined, use: Use): Refusal | undefined {
  return viewer?.restriction?.permits(use) === false ? viewer.restriction.refuse() : undefined
}

/** Throws the refusal of a viewer's restriction if it does not permit all of these uses. */
export function requireUnrestricted(viewer: Pick<Viewer, 'restriction'> | undefined, ...uses: readonly Use[]): void {
  for (const use of uses) {
    const refusal = refusalOfRestricted(viewer, use)
    if (refusal) throw refusal
  }
}
