import type { Scope, ScopeSets } from './scopes.ts'

/** What an error code means. `everywhere`: an operation that GraphQL refuses has this status too, and not 400. */
type ErrorCodeFacts = { readonly status: number; readonly title: string; readonly everywhere?: true }

const codes = {
  BAD_REQUEST: { status: 400, title: 'Bad request' },
  UNAUTHENTICATED: { status: 401, title: 'Unauthenticated', everywhere: true },
  INVALID_CREDENTIALS: { status: 401, title: 'Invalid credentials' },
  INSUFFICIENT_SCOPE: { status: 403, title: 'Insufficient scope', everywhere: true },
  ACCOUNT_SUSPENDED: { status: 403, title: 'Account suspended', everywhere: true },
  DOCUMENT_NOT_TRUSTED: { status: 403, title: 'Document not trusted' },
  FORBIDDEN: { status: 403, title: 'Forbidden' },
  POST_LOCKED: { status: 403, title: 'Post locked' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed', everywhere: true },
  REQUEST_TIMEOUT: { status: 408, title: 'Request timeout' },
  CONFLICT: { status: 409, title: 'Conflict' },
  IDEMPOTENCY_KEY_IN_USE: { status: 409, title: 'Idempotency key in use', everywhere: true },
  CURSOR_EXPIRED: { status: 410, title: 'Cursor expired' },
  PRECONDITION_FAILED: { status: 412, title: 'Precondition failed' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  VALIDATION_FAILED: { status: 422, title: 'Validation failed' },
  IDEMPOTENCY_KEY_REUSED: { status: 422, title: 'Idempotency key reused' },
  RATE_LIMITED: { status: 429, title: 'Rate limited', everywhere: true },
  HEADERS_TOO_LARGE: { status: 431, title: 'Headers too large' },
  INTERNAL: { status: 500, title: 'Internal error', everywhere: true },
  UNAVAILABLE: { status: 503, title: 'Unavailable', everywhere: true },
  OUTCOME_UNKNOWN: { status: 503, title: 'Outcome unknown', everywhere: true },
  /** With the status that clients of automatic persisted queries expect. */
  PERSISTED_QUERY_NOT_SUPPORTED: { status: 200, title: 'Persisted query not supported' },
} as const satisfies Record<string, ErrorCodeFacts>

/** One of the error codes. */
export type ErrorCode = keyof typeof codes

/**
 * The closed list of error codes, used as `code` in problem details (RFC 9457) and as `extensions.code` in GraphQL errors,
 * each with its HTTP status (RFC 9110) and title.
 */
export const errorCodes: Readonly<Record<ErrorCode, ErrorCodeFacts>> = codes

/** A validation error of one input field: its name in the request, and the rule that it breaks. */
export type FieldError = { field: string; message: string }

/** Which state an object is in, so that a client can make its write depend on it. */
export type CurrentState = { readonly version: string; readonly editedAt: Date | null }

type Details = {
  errors?: readonly FieldError[]
  requiredScopes?: ScopeSets
  missingScopes?: readonly Scope[]
  current?: CurrentState
  retryAfter?: number
  /** More headers of the response. */
  headers?: Readonly<Record<string, string>>
  requestId?: string
  cause?: unknown
}

/** An expected error, whose message is sent to the client. All other errors are masked and logged. */
export class Refusal extends Error {
  readonly code: ErrorCode
  readonly errors: readonly FieldError[] | undefined
  readonly requiredScopes: ScopeSets | undefined
  /** The scopes that the token lacks, of all alternatives together. */
  readonly missingScopes: readonly Scope[] | undefined
  /** The state of the object whose condition did not hold. */
  readonly current: CurrentState | undefined
  /** After how many seconds to try again. */
  readonly retryAfter: number | undefined
  /** The id under which an internal error is logged. */
  readonly requestId: string | undefined
  readonly #headers: Readonly<Record<string, string>> | undefined

  constructor(code: ErrorCode, message: string, details: Details = {}) {
    super(message, { cause: details.cause })
    this.name = 'Refusal'
    this.code = code
    this.errors = details.errors
    this.requiredScopes = details.requiredScopes
    this.missingScopes = details.missingScopes
    this.current = details.current
    this.retryAfter = details.retryAfter
    this.#headers = details.headers
    this.requestId = details.requestId
  }

  /** `WWW-Authenticate` (RFC 6750, section 3), `Retry-After` where the same request is safe to send again, and those of its own. */
  get headers(): Readonly<Record<string, string>> {
    const challenge = this.challenge
    const seconds = this.retryAfter ?? (retriable.has(this.code) ? 1 : undefined)
    return {
      ...(challenge && { 'www-authenticate': challenge }),
      ...(seconds !== undefined && { 'retry-after': String(seconds) }),
      ...this.#headers,
    }
  }

  protected get challenge(): string | undefined {
    if (this.code === 'UNAUTHENTICATED') return 'Bearer realm="rookery"'
    if (this.code !== 'INSUFFICIENT_SCOPE') return undefined
    return `Bearer error="insufficient_scope", scope="${this.missingScopes?.join(' ') ?? ''}"`
  }
}

const retriable: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_USE'])

/** `UNAUTHENTICATED` for an invalid bearer token, answered with the challenge `invalid_token` (RFC 6750, section 3.1). */
export class InvalidToken extends Refusal {
  constructor(message = 'The bearer token is unknown, expired or revoked.') {
    super('UNAUTHENTICATED', message)
  }

  protected override get challenge(): string {
    return 'Bearer realm="rookery", error="invalid_token"'
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
