import { LRUCache } from 'lru-cache'
import { FairQueue, type QueueLimits, type Requester } from '../../data/fair-queue.ts'
import type { LargeResponse, RunQuery } from '../../schema/context.ts'
import { LateTurn } from './late-turn.ts'

/** How many requests with a part that may be large wait, in total and of one account, and for how many milliseconds. */
export const waitingForLargeTurn = { waiting: 512, waitingEach: 128, waitTimeout: 5_000 } as const

/** Time is only measured. */
const unlimitedTime = { share: 1, burst: Number.POSITIVE_INFINITY, longestPause: 0 } as const

/** Limits of queries of those whose last responses were large. Times are in milliseconds. */
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

/** Limits of queries of those whose last response was small, by address. */
export const probablySmallLimits = {
  ...waitingForLargeTurn,
  atOnce: 4,
  atOnceAlone: 4,
  atOnceEach: 2,
} as const satisfies QueueLimits

/**
 * Limits of queries of those of whom nothing is known, by address. One client can have many accounts, so those of an address run one by
 * one. Together they leave places to those whose last response was small.
 */
export const unknownLimits = {
  ...waitingForLargeTurn,
  atOnce: 2,
  atOnceAlone: 1,
  atOnceEach: 1,
} as const satisfies QueueLimits

/** For how many milliseconds a statement waits in the middle of a large result, with its connection to the database. */
export const pauseTimeout = 2_000

/** The size of the last responses of an account or address that could have been large. */
type LastSize = 'small' | 'large'

/** For how many milliseconds a size is known. */
export const knownFor = { small: 600_000, large: 60_000 } as const satisfies Record<LastSize, number>

/** Of how many accounts and addresses a size is known at most. */
const maxKnown = 10_000

/** A requester and the address of its client. */
export type AddressedRequester = Requester & { readonly address: string }

/**
 * Lets queries that could return large responses take turns, because each holds its result in memory. Most return small ones, so a query
 * waits in the middle of a large result. If the last response of its account was large, it waits before it runs.
 */
export class LargeResponses {
  readonly #turns = {
    response: new FairQueue(largeResponseLimits.response),
    mediumResponse: new FairQueue(largeResponseLimits.mediumResponse),
  }
  readonly #probablySmall: FairQueue
  /** Whether statements may wait with their connections. */
  readonly #mayPause: boolean
  readonly #unknown = new FairQueue(unknownLimits)
  readonly #lastSizes = new LRUCache<string, LastSize>({ max: maxKnown })

  /**
   * The argument is how many expensive statements the database runs at once. Those that wait for turns leave at least one place, because
   * whoever has a turn may need it.
   */
  constructor(expensiveAtOnce: number) {
    this.#mayPause = expensiveAtOnce > 1
    const atOnce = Math.min(probablySmallLimits.atOnce, expensiveAtOnce - 1)
    this.#probablySmall = new FairQueue({ ...probablySmallLimits, atOnce })
  }

  /** Runs work when a response of its size has its turn. Throws `UNAVAILABLE` if it waits for too long, too many wait, or its client disconnects. */
  inTurn<T>(requester: Requester, part: LargeResponse, work: () => Promise<T>): Promise<T> {
    return this.#turns[part].run(requester, work)
  }

  /** Runs a query, which calls its argument when more than a small response arrives. Throws `UNAVAILABLE` like `inTurn`. */
  async run<T>(requester: AddressedRequester, part: LargeResponse, query: RunQuery<T>): Promise<T> {
    const { account } = requester
    for (;;) {
      const known = this.#mayPause ? this.#lastSizes.get(account) : 'large'
      if (known === 'large') return this.inTurn(requester, part, () => query(async () => this.#note(account, 'large')))
      // What is known can change while the query waits. Then it must not take a place that is meant for others.
      const done = await this.#inPlace(requester, known, async () =>
        this.#lastSizes.get(account) === known
          ? { result: await this.#runWithPause(requester, part, query) }
          : undefined,
      )
      if (done) return done.result
    }
  }

  /** Runs work in a place for responses that are probably small. */
  #inPlace<T>({ address, signal }: AddressedRequester, known: 'small' | undefined, work: () => Promise<T>): Promise<T> {
    const client = { account: address, signal }
    const run = () => this.#probablySmall.run(client, work)
    return known ? run() : this.#unknown.run(client, run)
  }

  async #runWithPause<T>(requester: Requester, part: LargeResponse, query: RunQuery<T>): Promise<T> {
    const { account } = requester
    const turn = new LateTurn(this.#turns[part], requester, pauseTimeout)
    try {
      const result = await query(async () => {
        this.#note(account, 'large')
        await turn.begin()
      })
      if (this.#lastSizes.get(account) !== 'large') this.#note(account, 'small')
      return result
    } finally {
      turn.end()
    }
  }

  #note(account: string, size: LastSize): void {
    this.#lastSizes.set(account, size, { ttl: knownFor[size] })
  }
}
