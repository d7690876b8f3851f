import type { Session, Sessions } from '../domain/sessions.ts'
import { InvalidToken, type Refusal, retryHeaders, SuspendedAccount } from '../errors.ts'
import type { Authentication } from '../schema/context.ts'

const credentials = /^Bearer +(rookery_[\w-]{43})$/i
const bearer = /^Bearer /i

const otherScheme =
  'The Authorization header must have the form "Bearer <token>", with a token that begins with "rookery_".'

/** Finds the session of an `Authorization` header (RFC 6750, section 2.1). */
export async function authenticate(authorization: string | undefined, sessions: Sessions): Promise<Authentication> {
  if (authorization === undefined) return {}
  const [, token] = credentials.exec(authorization) ?? []
  const session = token === undefined ? undefined : await sessions.of(token)
  if (session?.isSuspended) return { refusal: new SuspendedAccount() }
  if (session) return { session }
  return { refusal: bearer.test(authorization) ? new InvalidToken() : new InvalidToken(otherScheme) }
}

/** The headers of a response that tells of a refusal: `WWW-Authenticate` (RFC 6750, section 3) and `Retry-After`. */
export function refusalHeaders(refusal: Refusal, session: Session | undefined): Readonly<Record<string, string>> {
  const challenge = challengeOf(refusal, session)
  return { ...retryHeaders(refusal), ...(challenge && { 'www-authenticate': challenge }) }
}

function challengeOf(refusal: Refusal, session: Session | undefined): string | undefined {
  if (refusal.code === 'UNAUTHENTICATED') {
    return refusal instanceof InvalidToken ? 'Bearer realm="rookery", error="invalid_token"' : 'Bearer realm="rookery"'
  }
  if (refusal.code !== 'INSUFFICIENT_SCOPE') return undefined
  // The scopes that the token lacks, of all alternatives together.
  const missing = new Set(refusal.requiredScopes?.flat())
  for (const scope of session?.scopes ?? []) missing.delete(scope)
  return `Bearer error="insufficient_scope", scope="${[...missing].join(' ')}"`
}
