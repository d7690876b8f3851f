import { LRUCache } from 'lru-cache'
import type { QueueLimits } from '../../data/fair-queue.ts'
import type { LargeSize, RunQuery } from '../../schema/context.ts'
import { type AddressedRequester, AddressQueue } from './address-queue.ts'

/** How many requests wait whose results may be large, in total and of one account, and for how many milliseconds. */
export const waitingForLargeTurn = { waiting: 512, waitingEach: 128, waitTimeout: 5_000 } as const

/** Time is only measured. */
const unlimitedTime = { share: 1, burst: Number.POSITIVE_INFINITY, longestPause: 0 } as const

/** Limits of queries whose responses may be large. Times are in milliseconds. */
export const largeResponseLimits = {
  large: {
    ...waitingForLargeTurn,
    atOnce: 1,
    atOnceAlone: 1,
    atOnceEach: 1,
    time: unlimitedTime,
    leastServedFirst: true,
  },
  medium: { ...waitingForLargeTurn, atOnce: 4, atOnceAlone: 4, atOnceEach: 2 },
} as const satisfies Record<LargeSize, QueueLimits>

/** Limits of queries whose responses could be large, but are probably small. Times are in milliseconds. */
export const probablySmallLimits = {
  ...waitingForLargeTurn,
  atOnce: 4,
  // One place is left for those who come next.
  atOnceAlone: 3,
  atOnceEach: 2,
} as const satisfies QueueLimits

/** What is known of the responses of an account that could have been large. */
type KnownSize = 'small' | 'large'

/** How long a size is remembered, in milliseconds. */
export const rememberedFor = { small: 3_600_000, large: 60_000 } as const satisfies Record<KnownSize, number>

/** The maximum number of accounts to remember. */
const maxRemembered = 10_000

/**
 * Lets queries that could return large responses take turns, because each holds its result in memory. Most return small ones. So if that
 * was true of an account recently, its queries do not wait for these turns, and a large result is abandoned if another has the turn: the
 * query runs again when its turn comes. Statements never wait in the middle, because they would keep connections from those that have turns.
 */
export class LargeResponses {
  readonly #turns = {
    large: new AddressQueue(largeResponseLimits.large),
    medium: new AddressQueue(largeResponseLimits.medium),
  }
  readonly #probablySmall = new AddressQueue(probablySmallLimits)
  // Its default clock is the one of its import, which a test cannot replace.
  readonly #sizes = new LRUCache<string, KnownSize>({ max: maxRemembered, perf: { now: () => performance.now() } })

  /** Runs a query when its turn comes. Throws `UNAVAILABLE` if it waits for too long, too many wait, or its client disconnects. */
  async run<T>(requester: AddressedRequester, size: LargeSize, query: RunQuery<T>): Promise<T> {
    const { account } = requester
    const noteSmall = () => this.#noteSmall(account)
    if (this.#sizes.get(account) === 'small') {
      const done = await this.#probablySmall.run(requester, () => this.#runUnlessLarge(requester, size, query))
      if (done) return done.result
    }
    const mayExceed = () => {
      this.#noteLarge(account)
      return true
    }
    return this.#turns[size].run(requester, () => query({ mayExceed, noteSmall }))
  }

  /** Runs a query whose response is probably small. Returns undefined if it is large and another has the turn. */
  async #runUnlessLarge<T>(
    requester: AddressedRequester,
    size: LargeSize,
    query: RunQuery<T>,
  ): Promise<{ readonly result: T } | undefined> {
    const { account } = requester
    // Another response of the account may have been large in the meantime.
    if (this.#sizes.get(account) === 'large') return undefined
    let isAbandoned = false
    let endTurn: (() => void) | undefined
    const mayExceed = () => {
      this.#noteLarge(account)
      endTurn = this.#turns[size].tryTurn(requester)
      isAbandoned = endTurn === undefined
      return !isAbandoned
    }
    try {
      const result = await query({ mayExceed, noteSmall: () => this.#noteSmall(account) })
      return isAbandoned ? undefined : { result }
    } finally {
      endTurn?.()
    }
  }

  #noteLarge(account: string): void {
    this.#sizes.set(account, 'large', { ttl: rememberedFor.large })
  }

  /** Notes a small response, unless one was large recently. */
  #noteSmall(account: string): void {
    if (this.#sizes.get(account) !== 'large') this.#sizes.set(account, 'small', { ttl: rememberedFor.small })
  }
}
