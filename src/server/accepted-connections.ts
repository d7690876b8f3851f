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

/** The longest time that work waits for connections after it has run, in milliseconds. */
const longest = 10

/**
 * Lets work on requests wait while connections are accepted. Node.js accepts one in each iteration of the event loop, so hundreds that
 * arrive together would each wait for the work of an iteration.
 */
export class ConnectionsFirst {
  readonly #accepted: AcceptedConnections
  #known = 0
  #worked = Number.NEGATIVE_INFINITY

  constructor(accepted: AcceptedConnections) {
    this.#accepted = accepted
  }

  /** Whether work has run shortly before, and a connection has been accepted since the last call of `endIteration`, so that others may wait. */
  get mustWait(): boolean {
    return this.#accepted.count !== this.#known && performance.now() - this.#worked < longest
  }

  /** Call this after the connections of an iteration were accepted. Returns `mustWait`, and begins the next iteration. */
  endIteration(): boolean {
    const { mustWait } = this
    this.#known = this.#accepted.count
    return mustWait
  }

  /** Call this after work has run. */
  noteWork(): void {
    this.#worked = performance.now()
  }
}
