import { FairQueue } from '../../data/fair-queue.ts'
import type { Requester } from '../../data/requester.ts'
import type { AcceptedConnections } from './connections-first.ts'
import { LoopTurns } from './loop-turns.ts'
import type { Owner } from './shared-lines.ts'

/**
 * How many requests of one account run at once while other accounts are active, and how much of the time it may use. Eight cannot
 * fill a turn of the event loop or a batch of statements, and the share leaves the processors to others most of the time. Times are in
 * milliseconds.
 */
export const requestLimits = {
  atOnce: Number.POSITIVE_INFINITY,
  atOnceAlone: Number.POSITIVE_INFINITY,
  atOnceEach: 8,
  waiting: 10_000,
  waitingEach: 1_000,
  waitTimeout: 5_000,
  time: {
    share: 0.2,
    burst: 100,
    longestPause: 500,
    inProgress: { unlimited: 32, busy: 8, longestWait: 2_000, catchUp: 128 },
  },
} as const

/** Decides when a request is executed, so that an account that sends many at once delays only itself. */
export class RequestTurns {
  readonly #shares = new FairQueue(requestLimits)
  readonly #loop: LoopTurns

  constructor(accepted: AcceptedConnections) {
    this.#loop = new LoopTurns(accepted)
  }

  /**
   * Executes a request of an account when its turn comes. Throws `UNAVAILABLE` if it waits for too long, too many wait, or its client
   * disconnects.
   */
  inShare<T>(requester: Requester & Owner, execute: () => Promise<T>): Promise<T> {
    return this.#shares.run(requester, () => this.inTurn(requester, execute))
  }

  /** Executes a request when the event loop has time. Requests without a token have no share, because several people may use one address. */
  async inTurn<T>(requester: Owner, execute: () => Promise<T>): Promise<T> {
    const turn = this.#loop.begin(requester)
    if (turn) await turn
    return execute()
  }

  /** Waits until the event loop has time, or returns undefined if it has time now. Call it between the expensive steps of a request. */
  next(requester: Owner): Promise<void> | undefined {
    return this.#loop.next(requester)
  }
}
