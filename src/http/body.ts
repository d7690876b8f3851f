import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../errors.ts'
import type { HttpRequest } from './request.ts'

/** The largest body, in bytes. */
export const maxBody = 256 * 1024

/** The most that is received and discarded, so that the sender gets to see the refusal before the connection ends. */
const maxDrained = 64 * 1024 * 1024

/** Reads the body of a request. Rejects with `PAYLOAD_TOO_LARGE` as soon as it exceeds the limit, and with `BAD_REQUEST` when it breaks off. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body: Buffer = Buffer.alloc(0)
    let size = 0
    request.on('data', (chunk: Buffer) => {
      const before = size
      size += chunk.length
      if (size <= maxBody) {
        body = append(body, before, chunk)
        return
      }
      // Only once, because millions of chunks can follow.
      if (before <= maxBody) {
        body = Buffer.alloc(0)
        reject(new Refusal('PAYLOAD_TOO_LARGE', `The body exceeds ${maxBody} bytes.`))
      }
      if (size > maxDrained) request.destroy()
    })
    request.on('end', () => resolve(body.subarray(0, size)))
    const breakOff = (cause?: Error) => reject(new Refusal('BAD_REQUEST', 'The body is incomplete.', { cause }))
    request.on('error', breakOff)
    request.on('close', () => {
      if (!request.complete) breakOff()
    })
    if (request.destroyed) breakOff()
  })
}

/** Appends a chunk to the first bytes of a buffer. A list of one-byte chunks would take a hundred times their size. */
function append(buffer: Buffer, size: number, chunk: Buffer): Buffer {
  if (size === 0) return chunk
  const needed = size + chunk.length
  const larger = needed <= buffer.length ? buffer : Buffer.concat([buffer], Math.max(needed, 2 * size))
  chunk.copy(larger, size)
  return larger
}

/**
 * Reads a JSON body as text. JSON has to be UTF-8 (RFC 8259, section 8.1): other bytes would be replaced silently.
 *
 * @throws the refusals `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE` and `BAD_REQUEST`
 */
export async function readJsonText({ contentType, readBody }: HttpRequest): Promise<string> {
  if (!isJson(contentType)) {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json.')
  }
  const body = await readBody()
  if (!isUtf8(body)) throw new Refusal('BAD_REQUEST', 'The body is not UTF-8.')
  return body.toString()
}

/** Parses JSON. Throws `BAD_REQUEST` with this message. */
export function parseJson(text: string, message = 'The body is not JSON.'): unknown {
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Refusal('BAD_REQUEST', message, { cause })
  }
}

/** Whether a `Content-Type` is JSON, with any parameters (RFC 9110, section 8.3). */
function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}
