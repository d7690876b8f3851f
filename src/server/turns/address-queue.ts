import { FairQueue, type QueueLimits } from '../../data/fair-queue.ts'
import type { Requester } from '../../data/requester.ts'

/** A requester and the address of its client. */
export type AddressedRequester = Requester & { readonly address: string }

/**
 * A fair queue of addresses, because one client can have many accounts. The accounts of an address take turns too. The limits of one
 * account are also those of one address, except that an address may have as many jobs waiting as all together.
 */
export class AddressQueue {
  readonly #accounts: FairQueue
  readonly #addresses: FairQueue
  readonly #waitTimeout: number

  constructor(limits: QueueLimits) {
    const { waiting, waitingEach, waitTimeout, atOnceAlone, atOnceEach } = limits
    const ofAccounts = { waiting, waitingEach, waitTimeout, atOnceAlone, atOnceEach }
    this.#accounts = new FairQueue({ ...ofAccounts, atOnce: Number.POSITIVE_INFINITY })
    this.#addresses = new FairQueue({ ...limits, waitingEach: waiting })
    this.#waitTimeout = waitTimeout
  }

  /** Runs the work when its turn comes. Throws `UNAVAILABLE` if the queue is full, the wait is too long, or the client disconnects. */
  run<T>(requester: AddressedRequester, work: () => Promise<T>): Promise<T> {
    const { address, signal } = requester
    const since = performance.now()
    return this.#accounts.run(requester, () => {
      const timeLeft = Math.max(0, this.#waitTimeout - (performance.now() - since))
      return this.#addresses.run({ account: address, signal }, work, timeLeft)
    })
  }

  /** Takes a turn for work that runs already, if it need not wait for one, and returns a function that ends it. */
  tryTurn({ address }: AddressedRequester): (() => void) | undefined {
    return this.#addresses.tryStart(address)
  }
}
