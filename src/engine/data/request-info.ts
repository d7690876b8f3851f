import { Refusal } from '../errors.ts'
import type { WalPosition } from './wal-position.ts'

/**
 * What the database knows of the request that it works for: the account that the work counts towards, the signal that fires when its client
 * is gone, and the position that a replica must have for its reads.
 */
export type RequestInfo = {
  readonly account: string
  /** Its signal is made when it is used first. */
  readonly lifetime: { readonly signal: AbortSignal }
  readonly after?: WalPosition | undefined
}

/** The error for a job whose client is gone. */
export const clientIsGone = () => new Refusal('UNAVAILABLE', 'The client has disconnected.')

/** The error for a job that would wait, or has waited, for too long. */
export const tooBusy = () => new Refusal('UNAVAILABLE', 'The server is busy. Try again later.')
