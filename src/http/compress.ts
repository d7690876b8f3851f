import type { IncomingHttpHeaders } from 'node:http'
import pLimit from 'p-limit'
import { chooseEncoding, compressions, encodingHeaders } from './encoding.ts'
import type { HttpResponse } from './response.ts'

/** The fewest bytes of a body that is compressed: below that, it fits into one packet anyway. */
const leastCompressed = 1_024

/** Bodies that are compressed in other threads at once. One of the four threads of Node.js stays free for files and names of hosts. */
const inThreads = pLimit(3)

/**
 * The quality of each encoding, on its own scale. On nested timelines, brotli at 1 takes less processor time than gzip at 1 and gives as
 * few bytes; higher qualities save about a tenth more.
 */
const qualities = { br: 1, gzip: 1 } as const

/** The response in the encoding that the client prefers. */
export async function compress(response: HttpResponse, requestHeaders: IncomingHttpHeaders): Promise<HttpResponse> {
  const { body, headers } = response
  // A response with `Vary` has been encoded already, and one with a strong entity tag has it without an encoding (RFC 9110, section 8.8.3.3).
  const isFinal = headers.vary !== undefined || headers.etag !== undefined
  if (body === undefined || isFinal || Buffer.byteLength(body) < leastCompressed) return response
  const encoding = chooseEncoding(requestHeaders)
  const encoded =
    encoding === 'identity' ? body : await inThreads(() => compressions[encoding](body, qualities[encoding]))
  return { ...response, headers: { ...headers, ...encodingHeaders(encoding) }, body: encoded }
}
