import { statfsSync } from 'node:fs'
import type { Session } from './session.ts'

/**
 * The free disk space that writes require, in bytes. PostgreSQL aborts if there is no space for a segment of its write-ahead log
 * (16 MiB). A statement of Rookery fills less than one; the rest is for tables and indexes.
 */
export const reservedBytes = 64 * 2 ** 20

/** Makes the database read-only while the disk is nearly full. Writes then fail with 25006, and reads continue. */
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

  /** Checks the disk, in about two microseconds. Called before each batch. */
  check(): void {
    const { bavail, bsize } = statfsSync(this.#folder)
    const isFull = bavail * bsize < reservedBytes
    if (isFull) this.#refuseWrites()
    if (isFull === this.#isFull || !this.#session.isFree) return
    if (!isFull) this.#session.valueOf('SET default_transaction_read_only = off')
    this.#isFull = isFull
    this.#onChange(isFull)
  }

  // Set each time, because a client may have reset it. A running transaction has its own setting.
  #refuseWrites(): void {
    const { isFree } = this.#session
    this.#session.valueOf(isFree ? 'SET default_transaction_read_only = on' : 'SET TRANSACTION READ ONLY')
  }
}
