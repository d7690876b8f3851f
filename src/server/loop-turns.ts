/** How long one turn of the event loop goes on executing requests, in milliseconds. */
const budget = 10

/**
 * Spreads the execution of requests over turns of the event loop. Requests that arrive together would otherwise execute in the same
 * turn, and everything else, such as a health check, would wait for all of them.
 */
export class LoopTurns {
  readonly #waiting: (() => void)[] = []
  /** When this turn began to execute requests; undefined before it did. */
  #begun: number | undefined

  /** Undefined while this turn has time; otherwise resolves in a later one, in the order of the calls. */
  next(): Promise<void> | undefined {
    if (this.#begun === undefined) this.#begin()
    else if (this.#waiting.length > 0 || this.#isOver(this.#begun)) {
      return new Promise((resolve) => this.#waiting.push(resolve))
    }
    return undefined
  }

  #isOver(begun: number): boolean {
    return performance.now() - begun >= budget
  }

  #begin(): number {
    setImmediate(() => void this.#turn())
    this.#begun = performance.now()
    return this.#begun
  }

  async #turn(): Promise<void> {
    this.#begun = undefined
    if (this.#waiting.length === 0) return
    const begun = this.#begin()
    do {
      this.#waiting.shift()?.()
      // What was resumed executes before this goes on.
      await new Promise(process.nextTick)
    } while (this.#waiting.length > 0 && !this.#isOver(begun))
  }
}
