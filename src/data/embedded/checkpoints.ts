import type { Session } from './session.ts'

/** The bytes of log between two checkpoints, and the interval of the check in milliseconds. */
const bytesBetween = 32 * 2 ** 20
const interval = 1_000

/**
 * Runs checkpoints, which PGlite, unlike a PostgreSQL server, does not run on its own. Without them the write-ahead log, and the time
 * to recover from it, would keep growing.
 */
export class Checkpoints {
  readonly #session: Session
  #last: number
  #timer: NodeJS.Timeout | undefined

  constructor(session: Session) {
    this.#session = session
    this.#last = this.#written()
  }

  /** Called after each batch. Schedules a check of the log. */
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
