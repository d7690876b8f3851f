import type { FairQueue, Requester } from '../../data/fair-queue.ts'

/** A turn in a queue that work may need once it has begun. */
export class LateTurn {
  readonly #queue: FairQueue
  readonly #requester: Requester
  readonly #ended: Promise<void>
  #end: () => void = () => undefined

  constructor(queue: FairQueue, requester: Requester) {
    this.#queue = queue
    this.#requester = requester
    this.#ended = new Promise((resolve) => {
      this.#end = resolve
    })
  }

  /** Resolves when the turn has come. Throws `UNAVAILABLE` like `FairQueue.run`. */
  begin(): Promise<void> {
    return new Promise((resolve, reject) => {
      const turn = this.#queue.run(this.#requester, () => {
        resolve()
        return this.#ended
      })
      turn.catch(reject)
    })
  }

  /** Ends the turn, even if it has not come yet. */
  end(): void {
    this.#end()
  }
}
