import type { ServerResponse } from 'node:http'

/** An answer to write as it is. Header names are in lower case. */
export type Answer = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | undefined
}

/** A JSON answer. */
export function json(status: number, value: unknown, headers: Readonly<Record<string, string>> = {}): Answer {
  return {
    status,
    headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
    body: JSON.stringify(value),
  }
}

/**
 * The headers that every answer has. Tokens travel in a header and never in a cookie, so any origin may call, without credentials
 * (Fetch Standard, CORS protocol).
 */
export const everywhere = {
  'access-control-allow-origin': '*',
  'access-control-expose-headers': 'Link, API-Version, WWW-Authenticate, Allow, Retry-After, X-Request-Id',
  'cache-control': 'no-store',
  'x-content-type-options': 'nosniff',
}

/** All methods that something here answers. */
export const methods = 'GET, HEAD, POST, PATCH, PUT, DELETE, OPTIONS'

/** The headers that answer a preflight request. */
export const preflight = {
  'access-control-allow-methods': 'GET, HEAD, POST, PATCH, PUT, DELETE',
  'access-control-allow-headers': 'Authorization, Content-Type',
  'access-control-max-age': '86400',
}

/** Writes an answer, with what every answer has. */
export function write(response: ServerResponse, requestId: string, { status, headers, body }: Answer): void {
  const length = body === undefined ? {} : { 'content-length': String(Buffer.byteLength(body)) }
  response.writeHead(status, { ...everywhere, ...length, ...headers, 'x-request-id': requestId })
  response.end(body)
}
