import type { ServerResponse } from 'node:http'

/** A response to write as it is. Header names are in lower case. */
export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
  /** The code of the first error in it, for the log. */
  readonly code?: string | undefined
}

/** A JSON response. */
export function jsonResponse(
  status: number,
  value: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpResponse {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  }
}

/** A response to OPTIONS. */
export function optionsResponse(allow: string): HttpResponse {
  return { status: 204, headers: { allow }, body: undefined }
}

/** The headers that scripts of other origins can read. */
export const exposedHeaders =
  'Link, ETag, API-Version, WWW-Authenticate, Allow, Retry-After, RateLimit, RateLimit-Policy, X-Request-Id, Idempotency-Replayed'

/**
 * The headers of every response. Tokens travel in a header and never in a cookie, so any origin may call, without credentials (Fetch
 * Standard, CORS protocol).
 */
export const commonHeaders = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': exposedHeaders,
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** All methods of the service. */
export const allMethods = 'GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS'

/** The headers of the response to a preflight request. */
export const preflightHeaders = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, PUT, DELETE',
  // The wildcard covers all headers but `Authorization` (Fetch Standard, CORS protocol).
  'access-control-allow-headers': 'Authorization, Content-Type, *',
  'access-control-max-age': '86400',
}

/** Writes a response with the common headers. Node.js leaves the body of a response to HEAD out. */
export function writeResponse(message: ServerResponse, requestId: string, response: HttpResponse): void {
  const { status, headers, body } = response
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  message.writeHead(status, { ...commonHeaders, ...headers, ...length, 'x-request-id': requestId })
  message.end(body)
}
