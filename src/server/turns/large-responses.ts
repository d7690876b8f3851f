import { LRUCache } from 'lru-cache'
import { FairQueue, type QueueLimits, type Requester } from '../../data/fair-queue.ts'
import type { LargeResponse, RunQuery } from '../../schema/context.ts'
import { LateTurn } from './late-turn.ts'

/** How many requests with a part that may be large wait, in total and of one account, and for how many milliseconds. */
export const waitingForLargeTurn = { waiting: 512, waitingEach: 128, waitTimeout: 5_000 } as const

/** Four run at once, two of one account while others are active. */
const fourAtOnce = { ...waitingForLargeTurn, atOnce: 4, atOnceAlone: 4, atOnceEach: 2 } as const

/** Time is only measured. */
const unlimitedTime = { share: 1, burst: Number.POSITIVE_INFINITY, longestPause: 0 } as const

/** Limits of queries of accounts and addresses that recently received a large response. Times are in milliseconds. */
export const largeResponseLimits = {
  response: {
    ...waitingForLargeTurn,
    atOnce: 1,
    atOnceAlone: 1,
    atOnceEach: 1,
    time: unlimitedTime,
    leastServedFirst: true,
  },
  mediumResponse: fourAtOnce,
} as const satisfies Record<LargeResponse, QueueLimits>

/** Limits of queries of all others, whose responses are probably small. */
export const probablySmallLimits = fourAtOnce satisfies QueueLimits

/** Limits of statements that wait in the middle of a large result, each with a connection to the database. Times are in milliseconds. */
export const pausedLimits = {
  atOnce: 1,
  atOnceAlone: 1,
  atOnceEach: 1,
  waiting: probablySmallLimits.atOnce,
  waitingEach: probablySmallLimits.atOnce,
  waitTimeout: 2_000,
} as const satisfies QueueLimits

/** For how many milliseconds those who received a large response are known, and how many at most. */
export const receiversLimits = { ttl: 60_000, max: 10_000 } as const

/**
 * Lets queries that could return large responses take turns, because each holds its result in memory. Most return small ones, so a query
 * waits in the middle of a large result. If its account or address has received a large response recently, it waits before it runs.
 */
export class LargeResponses {
  readonly #turns = {
    response: new FairQueue(largeResponseLimits.response),
    mediumResponse: new FairQueue(largeResponseLimits.mediumResponse),
  }
  readonly #probablySmall = new FairQueue(probablySmallLimits)
  readonly #paused = new FairQueue(pausedLimits)
  /** Those who recently received a large response. */
  readonly #receivers = new LRUCache<string, true>(receiversLimits)

  /** Runs work when a response of its size has its turn. Throws `UNAVAILABLE` if it waits for too long, too many wait, or its client disconnects. */
  inTurn<T>(requester: Requester, part: LargeResponse, work: () => Promise<T>): Promise<T> {
    return this.#turns[part].run(requester, work)
  }

  /** Runs a query, which calls its argument when more than a small response arrives. Throws `UNAVAILABLE` like `inTurn`. */
  async run<T>(requester: Requester, part: LargeResponse, query: RunQuery<T>): Promise<T> {
    const { account } = requester
    const noteLarge = async () => {
      this.#receivers.set(account, true)
    }
    const isReceiver = () => this.#receivers.has(account)
    if (!isReceiver()) {
      // It may become a receiver while the query waits. Then the query must not wait for its turn in a slot of the others.
      const run = async () =>
        isReceiver() ? undefined : { result: await this.#runWithPause(requester, noteLarge, query) }
      const done = await this.#probablySmall.run(requester, run)
      if (done) return done.result
    }
    return this.inTurn(requester, part, () => query(noteLarge))
  }

  async #runWithPause<T>(requester: Requester, noteLarge: () => Promise<void>, query: RunQuery<T>): Promise<T> {
    const turn = new LateTurn(this.#paused, requester)
    try {
      return await query(async () => {
        await noteLarge()
        await turn.begin()
      })
    } finally {
      turn.end()
    }
  }
}
