import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { type ErrorCode, Refusal } from '../../errors.ts'
import { commonHeaders } from '../../http/response.ts'
import { problem } from '../../rest/problem.ts'
import { apiVersions } from '../../rest/versions.ts'

/** The codes with which Node.js reports a request that does not arrive in time, and headers that are too large. */
export const late = 'ERR_HTTP_REQUEST_TIMEOUT'
export const headersTooLarge = 'HPE_HEADER_OVERFLOW'

/** The refusals of what Node.js reports. Anything else is not valid HTTP. */
const refusals: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map([
  [late, ['REQUEST_TIMEOUT', 'The request did not arrive in time.']],
  [headersTooLarge, ['HEADERS_TOO_LARGE', 'The headers of the request are too large.']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', ['PAYLOAD_TOO_LARGE', 'The chunk extensions are too long.']],
])

/** The refusal of what Node.js reports with a code. */
export function refusalOf(code: string): Refusal {
  return new Refusal(...(refusals.get(code) ?? ['BAD_REQUEST', 'The request is not valid HTTP.']))
}

/** `UNAVAILABLE` for an address that has too many connections or requests. */
export function tooManyAtOnce(): Refusal {
  return new Refusal(
    'UNAVAILABLE',
    'There are too many connections or requests from this address. Wait for some of them to end.',
  )
}

/** A response with a problem document. */
export type RefusalResponse = {
  readonly status: number
  readonly headers: Readonly<Record<string, string>>
  readonly body: string
}

const closing = { connection: 'close' }

/** The response that refuses a request and closes its connection. */
export function refusalResponse(refusal: Refusal): RefusalResponse {
  const requestId = randomUUID()
  const { status, headers, body } = problem(refusal, requestId)
  const text = String(body)
  const own = { 'content-length': String(Buffer.byteLength(text)), 'api-version': apiVersions.posts }
  const more = { 'x-request-id': requestId, ...closing }
  return { status, headers: { ...commonHeaders, ...headers, ...own, ...more }, body: text }
}

/** The text of that response in HTTP/1.1. The one to HEAD has no body (RFC 9110, section 9.3.2). */
export function refusalText(refusal: Refusal, isHead = false): string {
  const { status, headers, body } = refusalResponse(refusal)
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', isHead ? '' : body].join('\r\n')
}
