import { LRUCache } from 'lru-cache'
import type { QueueLimits } from '../../data/fair-queue.ts'
import type { LargeResponse, RunQuery } from '../../schema/context.ts'
import { type AddressedRequester, AddressQueue } from './address-queue.ts'

/** How many requests with a part that may be large wait, in total and of one account, and for how many milliseconds. */
export const waitingForLargeTurn = { waiting: 512, waitingEach: 128, waitTimeout: 5_000 } as const

/** Time is only measured. */
const unlimitedTime = { share: 1, burst: Number.POSITIVE_INFINITY, longestPause: 0 } as const

/** Limits of queries whose responses may be large. Times are in milliseconds. */
export const largeResponseLimits = {
  response: {
    ...waitingForLargeTurn,
    atOnce: 1,
    atOnceAlone: 1,
    atOnceEach: 1,
    time: unlimitedTime,
    leastServedFirst: true,
  },
  mediumResponse: { ...waitingForLargeTurn, atOnce: 4, atOnceAlone: 4, atOnceEach: 2 },
} as const satisfies Record<LargeResponse, QueueLimits>

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
    response: new AddressQueue(largeResponseLimits.response),
    mediumResponse: new AddressQueue(largeResponseLimits.mediumResponse),
  }
  readonly #probablySmall = new AddressQueue(probablySmallLimits)
  // Its default clock is the one of its import, which a test cannot replace.
  readonly #sizes = new LRUCache<string, KnownSize>({ max: maxRemembered, perf: { now: () => performance.now() } })

  /** Runs a query when its turn comes. Throws `UNAVAILABLE` if it waits for too long, too many wait, or its client disconnects. */
  async run<T>(requester: AddressedRequester, part: LargeResponse, query: RunQuery<T>): Promise<T> {
    const { account } = requester
    if (this.#sizes.get(account) === 'small') {
      const done = await this.#probablySmall.run(requester, () => this.#runUnlessLarge(account, part, query))
      if (done) return done.result
    }
    return this.#turns[part].run(requester, async () => {
      const result = await query(() => {
        this.#noteLarge(account)
        return true
      })
      this.#noteReturned(account)
      return result
    })
  }

  /** Runs a query whose response is probably small. Returns undefined if it is large and another has the turn. */
  async #runUnlessLarge<T>(
    account: string,
    part: LargeResponse,
    query: RunQuery<T>,
  ): Promise<{ readonly result: T } | undefined> {
    // Another response of the account may have been large in the meantime.
    if (this.#sizes.get(account) === 'large') return undefined
    let isAbandoned = false
    let endTurn: (() => void) | undefined
    try {
      const result = await query(() => {
        this.#noteLarge(account)
        endTurn = this.#turns[part].tryTurn()
        isAbandoned = endTurn === undefined
        return !isAbandoned
      })
      this.#noteReturned(account)
      return isAbandoned ? undefined : { result }
    } finally {
      endTurn?.()
    }
  }

  #noteLarge(account: string): void {
    this.#sizes.set(account, 'large', { ttl: rememberedFor.large })
  }

  /** Notes that a response was small, unless one was large recently. */
  #noteReturned(account: string): void {
    if (this.#sizes.get(account) !== 'large') this.#sizes.set(account, 'small', { ttl: rememberedFor.small })
  }
}
