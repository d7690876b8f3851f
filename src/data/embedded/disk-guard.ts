import { statfsSync } from 'node:fs'
import type { Session } from './session.ts'

/**
 * What has to be free on the disk before writes are allowed, in bytes: PostgreSQL ends itself where a segment of its write-ahead log
 * (16 MiB) finds no room. A statement of Rookery fills less than one; the rest is for what it adds to tables and indexes.
 */
export const reservedBytes = 64 * 2 ** 20

/** Makes the database read-only while its disk is nearly full, so that writes fail with 25006 and reads go on. */
export class DiskGuard {
  readonly #folder: string
  readonly #session: Session
  readonly #onChange: (isFull: boolean) => void
  #isFull = false

  constructor(folder: string, session: Session, onChange: (isFull: boolean) => void) {
    this.#folder = folder
    this.#session = session
    this.#onChange = onChange
  }

  /** Looks at the disk, which takes about two microseconds; called before each batch. */
  check(): void {
    const { bavail, bsize } = statfsSync(this.#folder)
    const isFull = bavail * bsize < reservedBytes
    if (isFull) this.#refuseWrites()
    if (isFull === this.#isFull || !this.#session.isFree) return
    if (!isFull) this.#session.valueOf('SET default_transaction_read_only = off')
    this.#isFull = isFull
    this.#onChange(isFull)
  }

  // Each time, because a client may have set it back. A transaction that has begun has a setting of its own.
  #refuseWrites(): void {
    const { isFree } = this.#session
    this.#session.valueOf(isFree ? 'SET default_transaction_read_only = on' : 'SET TRANSACTION READ ONLY')
  }
}
