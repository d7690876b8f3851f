import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../log.ts'
import type { FairQueue } from './fair-queue.ts'
import { applicationName } from './serving-settings.ts'

declare module 'pg' {
  interface Client {
    /** The process of the server that this connection has. */
    readonly processID: number | null
  }
}

/** How often an abandoned backend is told to end, and the pause between two attempts, in milliseconds. */
const attempts = 20
const pause = 500

/** Tells a backend to end; answers no row where it has ended already. */
const terminate = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND application_name = $2'

/**
 * Ends what the server still does on a connection that was given up, for instance a commit that waits for a standby. Until then the
 * connection keeps its place among those of the pool, for at most about 10 seconds, so that abandoned backends do not pile up.
 */
export class AbandonedBackends {
  readonly #reserved: pg.Pool
  readonly #queue: FairQueue
  readonly #log: Log

  constructor(reserved: pg.Pool, queue: FairQueue, log: Log) {
    this.#reserved = reserved
    this.#queue = queue
    this.#log = log
  }

  /** Ends the backend of a connection, unless the server has closed that itself. */
  end({ processID, connection }: pg.Client): void {
    if (connection.stream.destroyed || connection.stream.readableEnded) return
    this.#queue.occupy(this.#untilEnded(processID))
  }

  async #untilEnded(processID: number | null): Promise<void> {
    for (let attempt = 0; attempt < attempts; attempt += 1) {
      if (await this.#hasEnded(processID)) return
      await sleep(pause, undefined, { ref: false })
    }
    this.#log.warn({ processID }, 'a backend of the database could not be ended')
  }

  /** False also while the database does not answer. */
  async #hasEnded(processID: number | null): Promise<boolean> {
    return this.#reserved.query(terminate, [processID, applicationName]).then(
      ({ rows }) => rows.length === 0,
      () => false,
    )
  }
}
