import type pg from 'pg'

/** The servers of a database, of which one takes writes. Connections go to the current one. */
export class DatabaseHosts {
  readonly #targets: readonly pg.ClientConfig[]
  #nth = 0

  /** The first one is current. */
  constructor(targets: readonly pg.ClientConfig[]) {
    this.#targets = targets
  }

  get current(): pg.ClientConfig | undefined {
    return this.#targets[this.#nth]
  }

  /** Moves on to the next server, after a connection to this one did not open. */
  leave(target: pg.ClientConfig | undefined): void {
    if (target === this.current) this.#nth = (this.#nth + 1) % this.#targets.length
  }
}
