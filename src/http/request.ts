import type { Authentication, Caller, Context } from '../schema/context.ts'

/** A request to the GraphQL or the REST interface. */
export type HttpRequest = {
  readonly method: string
  /** Percent-encoded as sent, without the query. */
  readonly path: string
  /** Percent-encoded as sent, with its question mark. */
  readonly search: string
  readonly contentType: string | undefined
  readonly accept: string | undefined
  /** The header `Idempotency-Key` as sent. */
  readonly idempotencyKey: string | undefined
  readonly ifMatch: string | undefined
  readonly ifNoneMatch: string | undefined
  /** Reads the body. Rejects with `PAYLOAD_TOO_LARGE` or `BAD_REQUEST`. */
  readonly readBody: () => Promise<Buffer>
  readonly authentication: Authentication
  /** Executes its operations when its account has a slot. Rejects with `UNAVAILABLE` if it may not start. */
  readonly execute: <T>(authentication: Authentication, work: (context: Context) => Promise<T>) => Promise<T>
  readonly caller: Caller
  /** A UUID, which the log has too. */
  readonly requestId: string
}
