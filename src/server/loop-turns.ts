/** How long one turn of the event loop may execute requests, in milliseconds. */
const budget = 10

type Resume = () => void

/**
 * Spreads the execution of requests over turns of the event loop. Otherwise requests that arrive together would execute in the same turn
 * and delay everything else, such as a health check. The accounts that wait take turns too.
 */
export class LoopTurns {
  /** The requests that wait, by account, in the order of the turns of the accounts. */
  readonly #waiting = new Map<string, Resume[]>()
  /** When this turn began to execute requests. Undefined before that. */
  #begun: number | undefined

  /**
   * Returns undefined if this turn has time. Otherwise returns a promise that resolves in a later turn. The requests of one account
   * resume in the order of their calls.
   */
  next(account: string): Promise<void> | undefined {
    if (this.#begun === undefined) {
      this.#begun = performance.now()
      setImmediate(() => this.#end())
    } else if (this.#waiting.size > 0 || this.#isOver(this.#begun)) {
      return new Promise((resolve) => this.#add(account, resolve))
    }
    return undefined
  }

  #add(account: string, resume: Resume): void {
    const queue = this.#waiting.get(account)
    if (queue) queue.push(resume)
    else this.#waiting.set(account, [resume])
  }

  /** Removes the next request of the account whose turn it is, and moves the account to the end. */
  #take(): Resume | undefined {
    const [first] = this.#waiting
    if (!first) return undefined
    const [account, queue] = first
    this.#waiting.delete(account)
    const resume = queue.shift()
    if (queue.length > 0) this.#waiting.set(account, queue)
    return resume
  }

  #isOver(begun: number): boolean {
    return performance.now() - begun >= budget
  }

  /** Ends a turn that began while I/O was handled. What waits resumes after the I/O of the next iteration of the event loop. */
  #end(): void {
    if (this.#waiting.size > 0) setImmediate(() => void this.#turn())
    else this.#begun = undefined
  }

  async #turn(): Promise<void> {
    this.#begun = undefined
    if (this.#waiting.size === 0) return
    const begun = performance.now()
    this.#begun = begun
    setImmediate(() => void this.#turn())
    do {
      this.#take()?.()
      // Ticks precede microtasks here, so this lets all microtasks of the resumed request run first.
      await new Promise<void>((resolve) => queueMicrotask(() => process.nextTick(resolve)))
    } while (this.#waiting.size > 0 && !this.#isOver(begun))
  }
}
