import { randomUUID } from 'node:crypto'
import { STATUS_CODES } from 'node:http'
import { type ErrorCode, Refusal } from '../../errors.ts'
import { problem } from '../problem.ts'
import { commonHeaders } from '../response.ts'

/** The code with which Node.js reports headers that are too large. */
export const headersTooLarge = 'HPE_HEADER_OVERFLOW'

/** The refusals of what Node.js reports. Anything else is not valid HTTP. */
const refusals: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', ['REQUEST_TIMEOUT', 'The request did not arrive in time.']],
  [headersTooLarge, ['HEADERS_TOO_LARGE', 'The headers of the request are too large.']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', ['PAYLOAD_TOO_LARGE', 'The chunk extensions are too long.']],
])

/** The refusal of what Node.js reports with a code. */
export function refusalOfFault(code: string): Refusal {
  return new Refusal(...(refusals.get(code) ?? ['BAD_REQUEST', 'The request is not valid HTTP.']))
}

/** The text of a response in HTTP/1.1 that refuses a request and closes its connection. The one to HEAD has no body (RFC 9110, section 9.3.2). */
export function refusalText(refusal: Refusal, isHead: boolean, ownHeaders: Readonly<Record<string, string>>): string {
  const requestId = randomUUID()
  const { status, headers, body } = problem(refusal)
  const text = String(body)
  const all = {
    ...commonHeaders,
    ...headers,
    'content-length': String(Buffer.byteLength(text)),
    ...ownHeaders,
    'x-request-id': requestId,
    date: new Date().toUTCString(),
    connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', isHead ? '' : text].join('\r\n')
}
