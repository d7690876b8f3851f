import { Refusal } from '../errors.ts'

/**
 * What the database knows of the request that it works for: the key that its work counts towards, the signal that fires when its client
 * is gone, and the position that a replica must have for its reads.
 */
export type RequestInfo = {
  readonly rateLimitKey: string
  /** Its signal is made when it is used first. */
  readonly lifetime: { readonly signal: AbortSignal }
  readonly after?: WalPosition | undefined
}

/** The error for a job whose client is gone. */
export const clientIsGone = () => new Refusal('UNAVAILABLE', 'The client has disconnected.')

/** The error for a job that would wait, or has waited, for too long. */
export const tooBusy = () => new Refusal('UNAVAILABLE', 'The server is busy. Try again later.')

/** A position in the write-ahead log (an LSN), as 16 hexadecimal digits, which sort like it. */
export type WalPosition = string

/** A position that no replica reaches. */
export const onlyOnPrimary: WalPosition = 'f'.repeat(16)

/** The SQL of the position at an LSN. `zero` may be a parameter, because batches need one, with a cast that they know. */
export const positionAt = (lsn: string, zero = "'0/0'") =>
  `lpad(to_hex((${lsn} - ${zero}::text::pg_lsn)::bigint), 16, '0')`
