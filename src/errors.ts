import type { ScopeSets } from './scopes.ts'

/**
 * The closed list of error codes, used as `code` in problem details (RFC 9457) and as `extensions.code` in GraphQL errors,
 * each with its HTTP status (RFC 9110) and title.
 */
export const errorCodes = {
  BAD_REQUEST: { status: 400, title: 'Bad request' },
  UNAUTHENTICATED: { status: 401, title: 'Unauthenticated' },
  INVALID_CREDENTIALS: { status: 401, title: 'Invalid credentials' },
  INSUFFICIENT_SCOPE: { status: 403, title: 'Insufficient scope' },
  ACCOUNT_SUSPENDED: { status: 403, title: 'Account suspended' },
  DOCUMENT_NOT_TRUSTED: { status: 403, title: 'Document not trusted' },
  FORBIDDEN: { status: 403, title: 'Forbidden' },
  POST_LOCKED: { status: 403, title: 'Post locked' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timeout' },
  CONFLICT: { status: 409, title: 'Conflict' },
  IDEMPOTENCY_KEY_IN_USE: { status: 409, title: 'Idempotency key in use' },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition failed' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  VALIDATION_FAILED: { status: 422, title: 'Validation failed' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'Idempotency key reused' },
  RATE_LIMITED: { status: 429, title: 'Rate limited' },
  HEADERS_TOO_LARGE: { status: 431, title: 'Headers too large' },
  INTERNAL: { status: 500, title: 'Internal error' },
  UNAVAILABLE: { status: 503, title: 'Unavailable' },
  OUTCOME_UNKNOWN: { status: 503, title: 'Outcome unknown' },
  /** With the status that clients of automatic persisted queries expect. */
  PERSISTED_QUERY_NOT_SUPPORTED: { status: 200, title: 'Persisted query not supported' },
} as const

/** One of the error codes. */
export type ErrorCode = keyof typeof errorCodes

/** `Retry-After` (RFC 9110, section 10.2.3) for errors after which the same request is safe to send again. */
export function retryHeaders({
  code,
  retryAfter,
}: Pick<Refusal, 'code' | 'retryAfter'>): Readonly<Record<string, string>> {
  const seconds = retryAfter ?? (code === 'UNAVAILABLE' || code === 'IDEMPOTENCY_KEY_IN_USE' ? 1 : undefined)
  return seconds === undefined ? {} : { 'retry-after': String(seconds) }
}

/** A validation error of one input field: its name in the request, and the rule that it breaks. */
export type FieldError = { field: string; message: string }

type Details = {
  errors?: readonly FieldError[]
  requiredScopes?: ScopeSets
  retryAfter?: number
  cause?: unknown
}

/** An expected error, whose message is sent to the client. All other errors are masked and logged. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly errors: readonly FieldError[] | undefined
  readonly requiredScopes: ScopeSets | undefined
  /** After how many seconds to try again. */
  readonly retryAfter: number | undefined

  constructor(code: ErrorCode, message: string, { errors, requiredScopes, retryAfter, cause }: Details = {}) {
    super(message, { cause })
    this.name = 'Refusal'
    this.code = code
    this.errors = errors
    this.requiredScopes = requiredScopes
    this.retryAfter = retryAfter
  }
}

/** `UNAUTHENTICATED` for an invalid bearer token, answered with the challenge `invalid_token` (RFC 6750, section 3.1). */
export class InvalidToken extends Refusal {
  constructor(message = 'The bearer token is unknown, expired or revoked.') {
    super('UNAUTHENTICATED', message)
  }
}

/** `ACCOUNT_SUSPENDED` for the tokens and the sign-in of a suspended account. */
export class SuspendedAccount extends Refusal {
  constructor() {
    super('ACCOUNT_SUSPENDED', 'This account is suspended. Contact the operator of this server.')
  }
}

/** A `VALIDATION_FAILED` refusal for the given fields. */
export function invalid(...errors: [FieldError, ...FieldError[]]): Refusal {
  return new Refusal('VALIDATION_FAILED', errors.map(({ field, message }) => `${field} ${message}`).join('; '), {
    errors,
  })
}

/** A `NOT_FOUND` refusal for something that does not exist, was deleted, or is of another kind. */
export function notFound(what: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no such ${what}.`)
}
