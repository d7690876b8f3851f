import type { IncomingHttpHeaders } from 'node:http'
import pLimit from 'p-limit'
import { chooseEncoding, compressions, encodingHeaders } from './encoding.ts'
import type { HttpResponse } from './response.ts'

/** The fewest bytes of a body that is compressed: below that, it fits into one packet anyway. */
const leastCompressed = 1_024

/** The most bytes of bodies that wait for their compression or are in it, in the whole process. */
const maxCompressing = 16 * 1024 * 1024

/** The number of bodies that are compressed at once. One of the four threads of Node.js stays free for files and names of hosts. */
const atOnce = 3

/**
 * The quality of each encoding, on its own scale. On nested timelines, brotli at 1 takes less processor time than gzip at 1 and gives as
 * few bytes; higher qualities save about a tenth more.
 */
const qualities = { br: 1, gzip: 1 } as const

/** The longest text that is encoded while it is written with its headers, in UTF-16 code units. */
const longestText = 64 * 1024

const isShort = (body: string | Buffer) => body.length < leastCompressed && Buffer.byteLength(body) < leastCompressed

/** Compresses response bodies for clients that accept it, in other threads. */
export class Compressor {
  readonly #limit = pLimit(atOnce)
  #compressing = 0

  /** The response in the encoding that the client prefers. While too many bytes are in progress, it stays as it is. */
  encode(response: HttpResponse, requestHeaders: IncomingHttpHeaders): HttpResponse | Promise<HttpResponse> {
    const { body, headers } = response
    // A response with `Vary` has been encoded already, and one with a strong entity tag has it without an encoding (RFC 9110, section 8.8.3.3).
    const isFinal = headers.vary !== undefined || headers.etag !== undefined
    if (body === undefined || isFinal || isShort(body)) return response
    const encoding = chooseEncoding(requestHeaders)
    const plain = { ...response, headers: { ...headers, ...encodingHeaders('identity') } }
    if (encoding === 'identity' && body.length <= longestText) return plain
    // Counting the bytes of a large text and writing it would each encode it again.
    const bytes = typeof body === 'string' ? Buffer.from(body) : body
    if (encoding === 'identity' || this.#compressing + bytes.length > maxCompressing) return { ...plain, body: bytes }
    return this.#compress(bytes, encoding).then((compressed) => ({
      ...response,
      headers: { ...headers, ...encodingHeaders(encoding) },
      body: compressed,
    }))
  }

  async #compress(body: Buffer, encoding: keyof typeof compressions): Promise<Buffer> {
    this.#compressing += body.length
    try {
      return await this.#limit(() => compressions[encoding](body, qualities[encoding]))
    } finally {
      this.#compressing -= body.length
    }
  }
}
