import { isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../errors.ts'
import type { HttpRequest } from './request.ts'

/** The largest body, in bytes. */
export const maxBody = 64 * 1024

/** The maximum number of values in JSON: names do not count, but arrays and objects do. */
export const maxValues = 1_000

/**
 * Reads the body of a request. Rejects with `PAYLOAD_TOO_LARGE` as soon as it is known to exceed the limit, and with `BAD_REQUEST` when it
 * breaks off. The rest of a body that is too large is received and dropped, so that its sender gets to see the refusal.
 */
export async function readBody(request: IncomingMessage): Promise<Buffer> {
  const hasArrived = request.complete && request.readableLength <= maxBody && !request.destroyed
  if (!hasArrived) return receive(request)
  const body: unknown = request.read()
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

function receive(request: IncomingMessage): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const length = Number(request.headers['content-length'] ?? maxBody)
    // Not a list of chunks: one of a single byte takes a hundred times its size.
    const body = Buffer.allocUnsafe(Math.min(length, maxBody))
    let size = 0
    const requireSize = (bytes: number) => {
      if (bytes > maxBody) reject(new Refusal('PAYLOAD_TOO_LARGE', `The body exceeds ${maxBody} bytes.`))
    }
    const breakOff = () => {
      if (!request.readableEnded) reject(new Refusal('BAD_REQUEST', 'The body is incomplete.'))
    }
    requireSize(length)
    request.on('data', (chunk: Buffer) => {
      if (size < maxBody) chunk.copy(body, size)
      size += chunk.length
      requireSize(size)
    })
    request.on('end', () => resolve(body.subarray(0, size)))
    request.on('error', breakOff)
    request.on('close', breakOff)
    if (request.destroyed) breakOff()
  })
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

/** Parses JSON. Throws `BAD_REQUEST` if it has too many values, or with this message if it is malformed. */
export function parseJson(text: string, message = 'The body is not JSON.'): unknown {
  if (hasTooManyValues(text)) throw new Refusal('BAD_REQUEST', `The JSON has more than ${maxValues} values.`)
  try {
    return JSON.parse(text)
  } catch (cause) {
    throw new Refusal('BAD_REQUEST', message, { cause })
  }
}

const [quote, backslash, comma, bracket, brace] = ['"', '\\', ',', '[', '{'].map((text) => text.charCodeAt(0))

/** Whether JSON has more than `maxValues` values. All but the first follow a comma, or begin an array or object; an empty one counts twice. */
function hasTooManyValues(text: string): boolean {
  if (text.length < maxValues) return false
  let values = 1
  let isInString = false
  for (let at = 0; at < text.length && values <= maxValues; at += 1) {
    const character = text.charCodeAt(at)
    if (character === quote) isInString = !isInString
    else if (isInString) at += character === backslash ? 1 : 0
    else if (character === comma || character === bracket || character === brace) values += 1
  }
  return values > maxValues
}

/** Whether a `Content-Type` is JSON, with any parameters (RFC 9110, section 8.3). */
function isJson(contentType: string | undefined): boolean {
  return contentType?.split(';', 1)[0]?.trim().toLowerCase() === 'application/json'
}
