import type { Readable } from 'node:stream'
import type { FastifyReply } from 'fastify'

/** A response to write as it is. Header names are in lower case. */
export type HttpResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string | Buffer | Readable | undefined
}

/** Sends a response. Its body goes as bytes, because Fastify would add a charset to the type of JSON that is text. */
export function sendResponse(reply: FastifyReply, { status, headers, body }: HttpResponse): FastifyReply {
  return reply
    .code(status)
    .headers(headers)
    .send(typeof body === 'string' ? Buffer.from(body) : body)
}

/** The headers that scripts of other origins can read. */
export const exposedHeaders =
  'Link, ETag, API-Version, WWW-Authenticate, Allow, Accept-Patch, Accept-Post, Accept-Encoding, ' +
  'Retry-After, RateLimit, RateLimit-Policy, Rookery-Cost, X-Request-Id, Idempotency-Replayed, ' +
  'Preference-Applied, Rookery-Position'

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
