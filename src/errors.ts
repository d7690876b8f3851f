import type { ScopeSets } from './scopes.ts'

/**
 * The closed list of error codes, the same on both surfaces: `code` of a problem document (RFC 9457) and
 * `extensions.code` of a GraphQL error. Each has its HTTP status (RFC 9110) and its title.
 */
export const errorCodes = {
  BAD_REQUEST: { status: 400, title: 'Bad request' },
  UNAUTHENTICATED: { status: 401, title: 'Unauthenticated' },
  INSUFFICIENT_SCOPE: { status: 403, title: 'Insufficient scope' },
  FORBIDDEN: { status: 403, title: 'Forbidden' },
  POST_LOCKED: { status: 403, title: 'Post locked' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  CONFLICT: { status: 409, title: 'Conflict' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  VALIDATION_FAILED: { status: 422, title: 'Validation failed' },
  INTERNAL: { status: 500, title: 'Internal error' },
  UNAVAILABLE: { status: 503, title: 'Unavailable' },
  OUTCOME_UNKNOWN: { status: 503, title: 'Outcome unknown' },
} as const

export type ErrorCode = keyof typeof errorCodes

/** `Retry-After` (RFC 9110, section 10.2.3) where nothing was done, so that the same request may simply be sent again. */
export function retryHeaders(code: ErrorCode): Readonly<Record<string, string>> {
  return code === 'UNAVAILABLE' ? { 'retry-after': '1' } : {}
}

/** What is wrong with one field of an input: its name as the caller wrote it, and what it has to be. */
export type FieldError = { field: string; message: string }

type Details = { errors?: readonly FieldError[]; requiredScopes?: ScopeSets; cause?: unknown }

/** A foreseen error that the caller is told of. Everything else that is thrown is masked and logged. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly errors: readonly FieldError[] | undefined
  readonly requiredScopes: ScopeSets | undefined

  constructor(code: ErrorCode, message: string, { errors, requiredScopes, cause }: Details = {}) {
    super(message, { cause })
    this.name = 'Refusal'
    this.code = code
    this.errors = errors
    this.requiredScopes = requiredScopes
  }
}

/** `UNAUTHENTICATED` for a bearer token that does not work or no longer does; its challenge says so (RFC 6750, section 3.1). */
export class InvalidToken extends Refusal {
  constructor() {
    super('UNAUTHENTICATED', 'The bearer token is unknown, expired or revoked.')
  }
}

/** `VALIDATION_FAILED` for the given fields. */
export function invalid(...errors: [FieldError, ...FieldError[]]): Refusal {
  return new Refusal('VALIDATION_FAILED', errors.map(({ field, message }) => `${field} ${message}`).join('; '), {
    errors,
  })
}

/** `NOT_FOUND` for what does not exist, was deleted, or is not of the kind that was asked for. */
export function notFound(what: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no such ${what}.`)
}
