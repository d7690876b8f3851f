import type { FairQueue, Requester } from '../../data/fair-queue.ts'

/** A turn in a queue that work may need once it has begun. */
export class LateTurn {
  readonly #queue: FairQueue
  readonly #requester: Requester
  readonly #waitTimeout: number
  readonly #ended: Promise<void>
  #end: () => void = () => undefined

  /** It waits for at most so many milliseconds. */
  constructor(queue: FairQueue, requester: Requester, waitTimeout: number) {
    this.#queue = queue
    this.#requester = requester
    this.#waitTimeout = waitTimeout
    this.#ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** Resolves when the turn has come. Throws `UNAVAILABLE` like `FairQueue.run`. */
  begin(): Promise<void> {
    return new Promise((resolve, reject) => {
      const hold = () => {
        resolve()
        return this.#ended
      }
      this.#queue.run(this.#requester, hold, this.#waitTimeout).catch(reject)
    })
  }

  /** Ends the turn, even if it has not come yet. */
  end(): void {
    this.#end()
  }
}
