import type { GraphQLError } from 'graphql'
import type { Session } from '../domain/sessions.ts'
import { errorCodes, invalid, Refusal, retryHeaders } from '../errors.ts'
import type { ScopeSets } from '../scopes.ts'
import type { RestRequest, RestResponse } from './http.ts'

/**
 * The answer to a refused request: a problem document (RFC 9457) and, where a token is missing, bad or too narrow, the
 * challenge (RFC 6750, section 3).
 */
export function problem(
  refusal: Refusal,
  {
    session,
    challenge,
    requestId,
  }: Pick<RestRequest, 'challenge' | 'requestId'> & Partial<Pick<RestRequest, 'session'>>,
): RestResponse {
  const { code } = refusal
  const { status } = errorCodes[code]
  const body = JSON.stringify(problemDocument(refusal, requestId))

  const headers: Record<string, string> = {
    'content-type': 'application/problem+json',
    'content-length': String(Buffer.byteLength(body)),
    ...retryHeaders(code),
  }
  if (code === 'UNAUTHENTICATED') headers['www-authenticate'] = challenge
  if (code === 'INSUFFICIENT_SCOPE') {
    const viewer = session instanceof Refusal ? undefined : session
    headers['www-authenticate'] = insufficientScopeChallenge(refusal.requiredScopes ?? [], viewer)
  }
  return { status, headers, body }
}

/** The problem document (RFC 9457) of a refusal. */
export function problemDocument({ code, message: detail, errors }: Refusal, requestId: string) {
  const { status, title } = errorCodes[code]
  const type = `urn:rookery:error:${code.toLowerCase()}`
  const instance = code === 'INTERNAL' ? { instance: `urn:uuid:${requestId}` } : {}
  return { type, title, status, detail, ...instance, code, ...(errors && { errors }) }
}

/** The `WWW-Authenticate` for a token that is too narrow (RFC 6750, section 3.1): what it lacks of all alternative sets together. */
export function insufficientScopeChallenge(requiredScopes: ScopeSets, session: Session | undefined): string {
  const missing = new Set(requiredScopes.flat())
  for (const scope of session?.scopes ?? []) missing.delete(scope)
  return `Bearer error="insufficient_scope", scope="${[...missing].join(' ')}"`
}

/** One refusal for the errors of a GraphQL answer: the first, with the field errors of all that share its code. */
export function refusalOf(first: GraphQLError, others: readonly GraphQLError[]): Refusal {
  const { originalError: refusal } = first
  if (!(refusal instanceof Refusal)) throw first
  const alike = others
    .map(({ originalError }) => originalError)
    .filter((it) => it instanceof Refusal && it.code === refusal.code)
  const [field, ...fields] = [refusal, ...alike].flatMap((it) => (it instanceof Refusal && it.errors) || [])
  return refusal.code === 'VALIDATION_FAILED' && field ? invalid(field, ...fields) : refusal
}
