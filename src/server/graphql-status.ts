import type { ExecutionResult, GraphQLError } from 'graphql'
import type { Session } from '../domain/sessions.ts'
import { errorCodes, InvalidToken, Refusal, retryHeaders } from '../errors.ts'
import { errorLike } from '../execution/mask.ts'
import { insufficientScopeChallenge } from '../rest/problem.ts'
import type { Context } from '../schema/context.ts'
import { invalidToken } from './bearer.ts'

/** What the listener knows of a request to `/graphql`. */
export type GraphQLRequest = {
  readonly method: string
  readonly query: URLSearchParams
  readonly contentType: string | undefined
  readonly accept: string | undefined
  /** Reads the body; rejects with the refusal `PAYLOAD_TOO_LARGE`. */
  readonly body: () => Promise<Buffer>
  readonly session: Session | undefined
  /** The `WWW-Authenticate` of an `UNAUTHENTICATED` answer (RFC 6750, section 3). */
  readonly challenge: string
  readonly context: Context
}

/**
 * How an error of a request that was refused as a whole looks in HTTP. With `spec` it is a fault of the document, which keeps 200 for
 * clients that ask for `application/json`, as GraphQL over HTTP (section 6.4.1) has it.
 */
export type HttpError = {
  readonly status: number
  readonly spec?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

/** The status and the headers of a refusal. */
export function httpOf({ originalError }: GraphQLError, { challenge, session }: GraphQLRequest): HttpError {
  if (!(originalError instanceof Refusal)) return { status: errorCodes.INTERNAL.status }
  const { code, requiredScopes = [] } = originalError
  const { status } = errorCodes[code]
  if (originalError instanceof InvalidToken) return { status, headers: { 'www-authenticate': invalidToken } }
  if (code === 'UNAUTHENTICATED') return { status, headers: { 'www-authenticate': challenge } }
  if (code === 'INSUFFICIENT_SCOPE') {
    return { status, headers: { 'www-authenticate': insufficientScopeChallenge(requiredScopes, session) } }
  }
  if (code === 'METHOD_NOT_ALLOWED') return { status, headers: { allow: 'POST' } }
  return status >= 500 ? { status, headers: retryHeaders(code) } : { status: 400, spec: true }
}

/**
 * Whether HTTP says what the errors do: of an operation that was not executed, and of one that answers nothing because this server
 * cannot at the moment, so that clients and proxies try again, or because the token was revoked meanwhile.
 */
export function isRefused({ data, errors = [] }: ExecutionResult): boolean {
  return data === undefined || (data === null && errors.some(concernsAll))
}

function concernsAll({ originalError, extensions }: GraphQLError): boolean {
  return (
    extensions.code === 'UNAVAILABLE' || extensions.code === 'OUTCOME_UNKNOWN' || originalError instanceof InvalidToken
  )
}

/** A result with what Yoga has to know of its errors to answer in HTTP. */
export function withHttp(result: ExecutionResult, request: GraphQLRequest): ExecutionResult {
  if (!isRefused(result)) return result
  const errors = result.errors?.map((error) => {
    const extensions = { ...error.extensions, http: httpOf(error, request) }
    return errorLike(error, error.message, error.originalError, extensions)
  })
  return errors ? { ...result, errors } : result
}
