import { counted } from './counted.ts'
import type { Scope, ScopeSets } from './scopes.ts'

const error = (status: number, title: string, meaning: string) => ({ status, title, meaning, everywhere: false })
/** When GraphQL refuses an operation, it responds with this status, too. For the other codes, it responds with 400. */
const everywhere: typeof error = (...facts) => ({ ...error(...facts), everywhere: true })

/**
 * The closed list of error codes, used as `code` in problem details (RFC 9457) and as `extensions.code` in GraphQL errors,
 * each with its HTTP status (RFC 9110), title and meaning.
 */
export const errorCodes = {
  BAD_REQUEST: error(
    400,
    'Bad request',
    'The request is not valid HTTP, its query string is not percent-encoded UTF-8, or its body is not JSON in UTF-8.',
  ),
  UNAUTHENTICATED: everywhere(401, 'Unauthenticated', 'The token is missing, unknown, expired or revoked.'),
  INVALID_CREDENTIALS: error(403, 'Invalid credentials', 'The username, the password or the code is wrong.'),
  SECOND_FACTOR_REQUIRED: error(
    403,
    'Second factor required',
    'The account has a second factor: continue the sign-in with a code and the `challenge`, or repeat the change with a `code`.',
  ),
  INSUFFICIENT_SCOPE: everywhere(403, 'Insufficient scope', 'The token lacks the required scopes.'),
  ACCOUNT_SUSPENDED: everywhere(
    403,
    'Account suspended',
    'The account of the token is suspended: `since` when, for which `reason`, and whom to write to (`contact`).',
  ),
  DOCUMENT_NOT_TRUSTED: error(403, 'Document not trusted', 'This server only runs stored documents.'),
  FORBIDDEN: error(403, 'Forbidden', 'The account may not do this, whatever scopes its token has. `reason` says why.'),
  POST_LOCKED: error(403, 'Post locked', 'The parent is locked: only its author may reply.'),
  NOT_FOUND: error(
    404,
    'Not found',
    'The resource does not exist, was deleted, or is of another kind, or the path is malformed.',
  ),
  METHOD_NOT_ALLOWED: everywhere(
    405,
    'Method not allowed',
    'The path does not support this method. `Allow` lists those that it does.',
  ),
  REQUEST_TIMEOUT: error(408, 'Request timeout', 'The request did not arrive in time. The connection is closed.'),
  CONFLICT: error(
    409,
    'Conflict',
    'The request conflicts with the current state, such as a limit that is reached. `errors` names a field whose value is taken.',
  ),
  IDEMPOTENCY_KEY_IN_USE: everywhere(
    409,
    'Idempotency key in use',
    'A request with this `Idempotency-Key` is still in progress. Send it again after `Retry-After`.',
  ),
  CURSOR_EXPIRED: error(
    410,
    'Cursor expired',
    'The change of the cursor is no longer stored, or never was in this database. Read everything again, from a request without `after`.',
  ),
  PRECONDITION_FAILED: error(
    412,
    'Precondition failed',
    'The resource was edited after the state that `If-Match` or `If-Unmodified-Since` names, is in one ' +
      'that `If-None-Match` names, or has no entity tag.',
  ),
  PAYLOAD_TOO_LARGE: error(413, 'Payload too large', 'The body exceeds 64 KiB, or 16 KiB at the endpoints of OAuth.'),
  UNSUPPORTED_MEDIA_TYPE: error(
    415,
    'Unsupported media type',
    'The media type of the body is not `application/json` or, for PATCH, `application/merge-patch+json`, or it is compressed.',
  ),
  VALIDATION_FAILED: error(422, 'Validation failed', 'Some values are invalid. `errors` lists each field.'),
  IDEMPOTENCY_KEY_REUSED: error(
    422,
    'Idempotency key reused',
    'This `Idempotency-Key` was sent with another request before.',
  ),
  RATE_LIMITED: everywhere(
    429,
    'Rate limited',
    'The budget of the account, or of the address where the token is invalid, has too few points left, or the account ' +
      'reached the limit that `limit` names. Try again after `Retry-After`.',
  ),
  HEADERS_TOO_LARGE: error(
    431,
    'Headers too large',
    'The headers of the request are too large. The connection is closed.',
  ),
  INTERNAL: everywhere(500, 'Internal error', 'An unexpected error, logged under the id in `instance`.'),
  UNAVAILABLE: everywhere(
    503,
    'Unavailable',
    'The database is busy or unreachable, or the server is overloaded. Nothing was changed: try again later.',
  ),
  OUTCOME_UNKNOWN: everywhere(
    503,
    'Outcome unknown',
    'The write may have been applied: the connection to the database broke, the response took too long, ' +
      'or the result could not be read. `detail` explains how to find out.',
  ),
  PERSISTED_QUERY_NOT_SUPPORTED: error(200, 'Persisted query not supported', 'No stored document has this hash.'),
}

/** Why something is `FORBIDDEN`: the `reason` in problem details and in `extensions`, each with its meaning. */
export const forbiddenReasons = {
  BLOCKED: 'One of the two accounts blocks the other.',
  NOT_FOR_EVERYBODY: 'Only a post or reply for everybody can be quoted or reposted.',
  NOT_QUOTABLE: 'The author does not allow quotes of the post or reply.',
  NOT_THE_AUTHOR: 'The post or reply belongs to another account.',
  PRIVATE_LIST: 'Only its owner sees this list.',
  OTHER_APPLICATION: '`from` or `application` is not the application of the token.',
  LONGER_TOKEN: 'A token cannot create one that expires later.',
  NOT_A_MODERATOR: 'Only moderators may have the scope `moderation.manage`.',
  MODERATOR: 'Only the operator acts on moderators.',
  NOT_SUSPENDED: 'Only suspended accounts can appeal.',
  SIGN_UP_CLOSED: 'This server takes no new accounts.',
  NOT_APPROVED: 'The account waits for the approval of a moderator.',
  INVITATION_REQUIRED: 'This server takes no new accounts without an invitation.',
  INVITATIONS_OF_MODERATORS: 'Only moderators invite others on this server.',
  NO_EMAIL: 'This server sends no e-mail.',
  NO_SECRETS_KEY: 'This server has no key for second factors.',
  OTHER_SITE: 'A page of another site has sent the form.',
} as const

/** One of the reasons of `FORBIDDEN`. */
export type ForbiddenReason = keyof typeof forbiddenReasons

/** Whether a text is a reason of `FORBIDDEN`. */
export const isForbiddenReason = (text: string): text is ForbiddenReason => Object.hasOwn(forbiddenReasons, text)

/** One of the error codes. */
export type ErrorCode = keyof typeof errorCodes

/** Whether a text is an error code. */
export const isErrorCode = (text: string): text is ErrorCode => Object.hasOwn(errorCodes, text)

/** A validation error of one input field: its name in the request, and the rule that it breaks. */
export type FieldError = { field: string; message: string }

/** Which state an object is in, so that a client can make its write depend on it. */
type CurrentState = { readonly version: string; readonly editedAt: Date | null }

/** Since when an account is suspended, why, and whom its owner can write to; null where nothing is said. */
type Suspension = { readonly since: Date; readonly reason: string | null; readonly contact: string | null }

/** What a refusal says besides its message. */
type Details = {
  readonly suspension?: Suspension
  readonly reason?: ForbiddenReason
  readonly errors?: readonly FieldError[]
  readonly requiredScopes?: ScopeSets
  /** What the token lacks of one sufficient set of scopes. Nothing where its account can have none. */
  readonly missingScopes?: readonly Scope[]
  /** With which a sign-in continues that needs a second factor. */
  readonly challenge?: string
  /** The state of the object whose condition did not hold. */
  readonly current?: CurrentState
  /** After how many seconds to try again. */
  readonly retryAfter?: number
  /** The limit of the account that is reached, and when its count begins again. */
  readonly limit?: string
  readonly resetsAt?: Date
  /** More headers of the response. */
  readonly headers?: Readonly<Record<string, string>>
  /** The id under which an internal error is logged. */
  readonly requestId?: string
}

/** An expected error, whose message is sent to the client. All other errors are masked and logged. */
export class Refusal extends Error {
  override readonly name = 'Refusal'
  readonly code: ErrorCode
  readonly details: Details

  constructor(code: ErrorCode, message: string, { cause, ...details }: Details & { readonly cause?: unknown } = {}) {
    super(message, { cause })
    this.code = code
    this.details = details
  }

  /** `WWW-Authenticate` (RFC 6750, section 3), `Retry-After` where the same request is safe to send again, and those of its own. */
  get headers(): Readonly<Record<string, string>> {
    const { authenticate } = this
    const { headers, retryAfter } = this.details
    const seconds = retryAfter ?? (retriable.has(this.code) ? 1 : undefined)
    return {
      ...(authenticate && { 'www-authenticate': authenticate }),
      ...(seconds !== undefined && { 'retry-after': String(seconds) }),
      ...headers,
    }
  }

  protected get authenticate(): string | undefined {
    if (this.code === 'UNAUTHENTICATED') return 'Bearer realm="rookery"'
    const { missingScopes = [] } = this.details
    // Clients would ask for what the account cannot have, again and again.
    if (this.code !== 'INSUFFICIENT_SCOPE' || missingScopes.length === 0) return undefined
    return `Bearer error="insufficient_scope", scope="${missingScopes.join(' ')}"`
  }
}

const retriable: ReadonlySet<ErrorCode> = new Set(['UNAVAILABLE', 'IDEMPOTENCY_KEY_IN_USE'])

/** `UNAUTHENTICATED` for an invalid bearer token, answered with the challenge `invalid_token` (RFC 6750, section 3.1). */
export class InvalidToken extends Refusal {
  constructor(message = 'The bearer token is unknown, expired or revoked.') {
    super('UNAUTHENTICATED', message)
  }

  protected override get authenticate(): string {
    return 'Bearer realm="rookery", error="invalid_token"'
  }
}

/** `ACCOUNT_SUSPENDED` for what a suspended account may not do. */
export class SuspendedAccount extends Refusal {
  constructor(suspension: Suspension) {
    const { since, reason, contact } = suspension
    const time = since.toISOString().slice(0, 16).replace('T', ' ')
    const why = reason === null ? '' : ` Reason: ${reason.trim().replace(/[.]$/, '')}.`
    const whom = contact === null ? 'Contact the operator of this server.' : `Contact: ${contact}`
    super('ACCOUNT_SUSPENDED', `This account has been suspended since ${time} UTC.${why} ${whom}`, { suspension })
  }
}

/** A `FORBIDDEN` refusal with its reason. */
export const forbidden = (reason: ForbiddenReason, message: string): Refusal =>
  new Refusal('FORBIDDEN', message, { reason })

/** A `VALIDATION_FAILED` refusal for the given fields. */
export function invalid(...errors: [FieldError, ...FieldError[]]): Refusal {
  return new Refusal('VALIDATION_FAILED', errors.map(({ field, message }) => `${field} ${message}`).join('; '), {
    errors,
  })
}

/** A `NOT_FOUND` refusal for something that does not exist, was deleted, or is of another kind. */
export function notFound(what: string, reason?: string): Refusal {
  return new Refusal('NOT_FOUND', `There is no such ${what}${reason === undefined ? '' : `: ${reason}`}.`)
}

/** `RATE_LIMITED` for what was done too often, with the milliseconds until it is possible again. */
export function tooOften(what: string, resetsIn: number, more: Pick<Details, 'limit' | 'resetsAt'> = {}): Refusal {
  const retryAfter = Math.max(Math.ceil(resetsIn / 1_000), 1)
  return new Refusal('RATE_LIMITED', `${what} Try again in ${counted(retryAfter, 'second')}.`, { retryAfter, ...more })
}
