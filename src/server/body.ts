import type { IncomingMessage } from 'node:http'
import { Refusal } from '../errors.ts'

/** The largest body that is read, in bytes. */
export const maxBody = 256 * 1024

/** How much more is taken in, unread, so that the sender gets to see the refusal before the connection ends. */
const maxDrained = 64 * 1024 * 1024

/** The body of a request. Rejects with `PAYLOAD_TOO_LARGE` as soon as it is larger than that, and with `BAD_REQUEST` when it breaks off. */
export function readBody(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body: Buffer = Buffer.alloc(0)
    let size = 0
    request.on('data', (chunk: Buffer) => {
      size += chunk.length
      if (size <= maxBody) {
        body = append(body, size - chunk.length, chunk)
        return
      }
      body = Buffer.alloc(0)
      reject(new Refusal('PAYLOAD_TOO_LARGE', `A body has at most ${maxBody} bytes.`))
      if (size > maxDrained) request.destroy()
    })
    request.on('end', () => resolve(body.subarray(0, size)))
    const breakOff = (cause?: Error) => reject(new Refusal('BAD_REQUEST', 'The body broke off.', { cause }))
    request.on('error', breakOff)
    request.on('close', () => {
      if (!request.complete) breakOff()
    })
    if (request.destroyed) breakOff()
  })
}

/** What a buffer holds in its first bytes, with a chunk after it. Kept one by one, chunks of a byte would take a hundred times their size. */
function append(buffer: Buffer, size: number, chunk: Buffer): Buffer {
  if (size === 0) return chunk
  const needed = size + chunk.length
  const larger = needed <= buffer.length ? buffer : Buffer.concat([buffer], Math.max(needed, 2 * size))
  chunk.copy(larger, size)
  return larger
}

/** Whether a `Content-Type` is JSON, with whatever parameters (RFC 9110, section 8.3). */
export function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';')[0]?.trim().toLowerCase() === 'application/json'
}
