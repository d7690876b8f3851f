import type { Session } from './session.ts'

/** How much is written to the log between two checkpoints, in bytes, and how often that is looked at, in milliseconds. */
const bytesBetween = 32 * 2 ** 20
const interval = 1_000

/**
 * Makes the checkpoints that a PostgreSQL server makes by itself and PGlite does not: without them the write-ahead log, and the time
 * to recover from it, would grow as long as the process runs.
 */
export class Checkpoints {
  readonly #session: Session
  #last: number
  #timer: NodeJS.Timeout | undefined

  constructor(session: Session) {
    this.#session = session
    this.#last = this.#written()
  }

  /** Called after each batch: looks at the log before long. */
  noteWork(): void {
    this.#timer ??= setTimeout(() => this.#look(), interval)
  }

  #look(): void {
    this.#timer = undefined
    if (!this.#session.isFree) {
      this.noteWork()
      return
    }
    if (this.#written() - this.#last < bytesBetween) return
    this.#session.valueOf('CHECKPOINT')
    this.#last = this.#written()
  }

  #written(): number {
    return Number(this.#session.valueOf(`SELECT pg_wal_lsn_diff(pg_current_wal_insert_lsn(), '0/0')`))
  }
}
