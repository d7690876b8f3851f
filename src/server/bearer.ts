import type { Session, Sessions } from '../domain/sessions.ts'
import { InvalidToken, type Refusal } from '../errors.ts'

/** Who a request comes from. */
export type Bearer = {
  /** The session of the token, `missing` without one, or why it is refused. */
  readonly session: Session | 'missing' | Refusal
  /** The `WWW-Authenticate` of an `UNAUTHENTICATED` answer (RFC 6750, section 3). */
  readonly challenge: string
}

const realm = 'Bearer realm="rookery"'

/** The challenge of a token that does not work (RFC 6750, section 3.1). */
export const invalidToken = `${realm}, error="invalid_token"`

const credentials = /^Bearer +(rookery_[\w-]{43})$/i

/** Finds the session of an `Authorization` header (RFC 6750, section 2.1). */
export async function authenticate(authorization: string | undefined, sessions: Sessions): Promise<Bearer> {
  if (authorization === undefined) return { session: 'missing', challenge: realm }
  const [, token] = credentials.exec(authorization) ?? []
  const session = token === undefined ? undefined : await sessions.of(token)
  if (session) return { session, challenge: realm }
  return { session: new InvalidToken(), challenge: invalidToken }
}
