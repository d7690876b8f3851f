import { type AcceptedConnections, ConnectionsFirst } from './accepted-connections.ts'
import { WaitingLines } from './waiting-lines.ts'

/** How long one turn of the event loop may execute requests, in milliseconds. */
const budget = 10

type Resume = () => void

/**
 * Spreads the execution of requests over turns of the event loop. Otherwise requests that arrive together would execute in the same turn
 * and delay everything else, such as a health check. The accounts that wait take turns too.
 */
export class LoopTurns {
  /** The requests that wait, by account. */
  readonly #waiting = new WaitingLines<Resume>()
  readonly #connectionsFirst: ConnectionsFirst
  /** When this turn began to execute requests. Undefined before that. */
  #begun: number | undefined
  /** Whether a turn that began while I/O was handled has executed anything. */
  #isWorking = false

  constructor(accepted: AcceptedConnections) {
    this.#connectionsFirst = new ConnectionsFirst(accepted)
  }

  /**
   * Returns undefined if this turn has time. Otherwise returns a promise that resolves in a later turn. The requests of one account
   * resume in the order of their calls.
   */
  next(account: string): Promise<void> | undefined {
    if (this.#begun === undefined) {
      this.#begun = performance.now()
      setImmediate(() => this.#end())
      this.#isWorking = !this.#connectionsFirst.mustWait
      if (!this.#isWorking) return this.#wait(account)
    } else if (!this.#waiting.isEmpty || this.#isOver(this.#begun)) {
      return this.#wait(account)
    }
    return undefined
  }

  #wait(account: string): Promise<void> {
    return new Promise((resolve) => this.#waiting.add(account, resolve))
  }

  #isOver(begun: number): boolean {
    return performance.now() - begun >= budget
  }

  /** Ends a turn that began while I/O was handled. What waits resumes after the I/O of the next iteration of the event loop. */
  #end(): void {
    this.#connectionsFirst.endIteration()
    if (this.#isWorking) this.#connectionsFirst.noteWork()
    if (!this.#waiting.isEmpty) setImmediate(() => void this.#turn())
    else this.#begun = undefined
  }

  async #turn(): Promise<void> {
    const mustWait = this.#connectionsFirst.endIteration()
    if (this.#waiting.isEmpty) {
      this.#begun = undefined
      return
    }
    setImmediate(() => void this.#turn())
    if (mustWait) return
    const begun = performance.now()
    this.#begun = begun
    do {
      this.#waiting.take()?.()
      // Ticks precede microtasks here, so this lets all microtasks of the resumed request run first.
      await new Promise<void>((resolve) => queueMicrotask(() => process.nextTick(resolve)))
    } while (!this.#waiting.isEmpty && !this.#isOver(begun))
    this.#connectionsFirst.noteWork()
  }
}
