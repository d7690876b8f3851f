import { setTimeout as sleep } from 'node:timers/promises'
import type pg from 'pg'
import type { Log } from '../log.ts'
import type { FairQueue } from './fair-queue.ts'
import { applicationName } from './serving-settings.ts'

declare module 'pg' {
  interface Client {
    /** The process id of the backend. */
    readonly processID: number | null
  }
}

/** The maximum number of attempts to terminate an abandoned backend, and the pause between them in milliseconds. */
const attempts = 20
const pause = 500

/** Terminates a backend. Returns no row if it has already ended. */
const terminate = 'SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid = $1 AND application_name = $2'

/**
 * Terminates the backends of abandoned connections, for example one whose commit waits for a standby. Until then such a
 * connection counts towards the pool, for at most about 10 seconds, so that abandoned backends do not accumulate.
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

  /** Terminates the backend of a connection, unless the server has closed it. */
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

  /** Also false while the database does not respond. */
  async #hasEnded(processID: number | null): Promise<boolean> {
    return this.#reserved.query(terminate, [processID, applicationName]).then(
      ({ rows }) => rows.length === 0,
      () => false,
    )
  }
}
