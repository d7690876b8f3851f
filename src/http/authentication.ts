import type { Sessions } from '../domain/sessions.ts'
import { InvalidToken, SuspendedAccount } from '../errors.ts'
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
