import type { GraphQLError } from 'graphql'
import type { Session } from '../../domain/sessions.ts'
import { errorCodes, InvalidToken, Refusal } from '../../errors.ts'
import type { Answered } from '../../execution/executor.ts'
import { refusalHeaders } from '../../http/authentication.ts'
import { replayHeaders } from '../../http/idempotency-key.ts'
import { type HttpResponse, jsonResponse } from '../../http/response.ts'
import type { MediaType } from './media-type.ts'

/** The response to an operation. */
export function graphQLResponse(result: Answered, mediaType: MediaType, session: Session | undefined): HttpResponse {
  const { status, headers } = statusOf(result, mediaType, session)
  const replay = 'isReplay' in result && result.isReplay ? replayHeaders : {}
  return {
    status,
    headers: { 'content-type': `${mediaType}; charset=utf-8`, ...headers, ...replay },
    body: bodyOf(result),
    code: codeOf(result),
  }
}

function codeOf({ errors }: Answered): string | undefined {
  const code = errors?.[0]?.extensions.code
  return typeof code === 'string' ? code : undefined
}

function bodyOf(result: Answered): string | Buffer {
  if ('json' in result) return result.json
  const { isReplay, ...body } = result
  return JSON.stringify(body)
}

/** The response to a request that was refused before its operation was known. */
export function refusedGraphQL(refusal: Refusal, mediaType: MediaType): HttpResponse {
  const { code, message } = refusal
  const response = jsonResponse(
    errorCodes[code].status,
    { errors: [{ message, extensions: { code } }] },
    {
      'content-type': `${mediaType}; charset=utf-8`,
      ...refusalHeaders(refusal, undefined),
      ...(code === 'METHOD_NOT_ALLOWED' && { allow: 'GET, HEAD, POST, OPTIONS' }),
    },
  )
  return { ...response, code }
}

function statusOf(result: Answered, mediaType: MediaType, session: Session | undefined) {
  let status = 200
  let headers = {}
  if (!isRefused(result)) return { status, headers }
  for (const error of result.errors ?? []) {
    const http = httpOf(error, session)
    headers = { ...headers, ...http.headers }
    if (!(mediaType === 'application/json' && http.isRequestError)) status = Math.max(status, http.status)
  }
  return { status, headers }
}

/**
 * Whether the HTTP status also reports the errors: for an operation that was not executed, and for one without data because this server does not
 * answer at the moment, so that clients and proxies try again later, or because the token was revoked meanwhile.
 */
function isRefused(result: Answered): boolean {
  const { errors = [] } = result
  if ('json' in result) return !result.hasData && errors.some(concernsAll)
  return result.data === undefined || (result.data === null && errors.some(concernsAll))
}

const concerningAll: ReadonlySet<string> = new Set(['UNAVAILABLE', 'OUTCOME_UNKNOWN', 'RATE_LIMITED'])

function concernsAll({ originalError, extensions }: GraphQLError): boolean {
  return concerningAll.has(String(extensions.code)) || originalError instanceof InvalidToken
}

type HttpError = {
  readonly status: number
  /** An error of the document, for which `application/json` keeps 200 (GraphQL over HTTP, section 6.4.1). */
  readonly isRequestError?: boolean
  readonly headers?: Readonly<Record<string, string>>
}

const withOwnStatus = new Set<string>([
  'UNAUTHENTICATED',
  'INSUFFICIENT_SCOPE',
  'ACCOUNT_SUSPENDED',
  'METHOD_NOT_ALLOWED',
  'IDEMPOTENCY_KEY_IN_USE',
  'RATE_LIMITED',
])

function httpOf({ originalError }: GraphQLError, session: Session | undefined): HttpError {
  if (!(originalError instanceof Refusal)) return { status: errorCodes.INTERNAL.status }
  const { code } = originalError
  const { status } = errorCodes[code]
  if (status < 500 && !withOwnStatus.has(code)) return { status: 400, isRequestError: true }
  const allow = code === 'METHOD_NOT_ALLOWED' ? { allow: 'POST' } : {}
  return { status, headers: { ...refusalHeaders(originalError, session), ...allow } }
}
