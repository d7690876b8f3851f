import type { Session } from '../domain/sessions.ts'
import type { Refusal } from '../errors.ts'
import type { Context } from '../schema/context.ts'

/** What the listener knows of a request below `/api/v1`. */
export type RestRequest = {
  readonly method: string
  /** What follows `/api/v1`, percent-encoded as sent, without the query. */
  readonly path: string
  /** The query string, percent-encoded as sent. */
  readonly search: string
  readonly contentType: string | undefined
  /** Reads the body; rejects with the refusal `PAYLOAD_TOO_LARGE`. */
  readonly body: () => Promise<Buffer>
  /** The session of the token, or the refusal `UNAUTHENTICATED` when the token is missing or bad. */
  readonly session: Session | Refusal
  /** The `WWW-Authenticate` of an `UNAUTHENTICATED` answer (RFC 6750, section 3). */
  readonly challenge: string
  /** What its operations know. Throws `BAD_REQUEST` when the client has left. */
  readonly contextOf: (session: Session) => Context
  /** A UUID; the log has it too. */
  readonly requestId: string
}

/** An answer to write as it is. `content-length` is that of the whole body, also where HEAD leaves it out. */
export type RestResponse = {
  readonly status: number
  /** Names are in lower case. */
  readonly headers: Record<string, string>
  readonly body: string | undefined
}
