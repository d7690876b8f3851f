/** Counts the connections that a server has accepted. */
export class AcceptedConnections {
  #count = 0

  get count(): number {
    return this.#count
  }

  note(): void {
    this.#count += 1
  }
}

/** The longest time that work waits for connections, in milliseconds. */
const longest = 40

/**
 * Lets work on requests wait while connections are accepted. Node.js accepts one in each iteration of the event loop, so hundreds that
 * arrive together would each wait for the work of an iteration.
 */
export class ConnectionsFirst {
  readonly #accepted: AcceptedConnections
  #known = 0
  /** When work began to wait. */
  #since = Number.NEGATIVE_INFINITY
  #hasWorked = false

  constructor(accepted: AcceptedConnections) {
    this.#accepted = accepted
  }

  /** Whether work has run shortly before, and a connection has been accepted since the last call of `endIteration`, so that others may wait. */
  get mustWait(): boolean {
    return this.#accepted.count !== this.#known && performance.now() - this.#since < longest
  }

  /** Call this after the connections of an iteration were accepted. Returns `mustWait`, and begins the next iteration. */
  endIteration(): boolean {
    const { mustWait } = this
    this.#known = this.#accepted.count
    // The iteration after work takes longer, because it reads from connections that the work has resumed.
    if (this.#hasWorked) this.#since = performance.now()
    this.#hasWorked = false
    return mustWait
  }

  /** Call this after work has run. */
  noteWork(): void {
    this.#since = performance.now()
    this.#hasWorked = true
  }
}
