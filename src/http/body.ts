import { isAscii, isUtf8 } from 'node:buffer'
import type { IncomingMessage } from 'node:http'
import { Refusal } from '../errors.ts'
import type { HttpRequest } from './request.ts'
import type { CountedMemory } from './shared-memory.ts'

/** The largest body, in bytes. */
export const maxBody = 256 * 1024

/**
 * The maximum number of values in JSON: names do not count, but arrays and objects do. Parsing and checking the 80,000 that a body has room
 * for would take a tenth of a second.
 */
export const maxValues = 1_000

/** How many copies of a body a request in progress may hold: its text, and the strings that are parsed from it. */
const copies = 2

/** The most that is received and discarded, so that the sender gets to see the refusal before the connection ends. */
const maxDrained = 64 * 1024 * 1024

/** The client that sends a body. */
type Sender = {
  /** Aborts when nobody needs the body any more. Node.js does not report a client that leaves after the response. */
  readonly signal: AbortSignal
}

/**
 * Reads the body of a request, and counts the memory that it takes. Rejects with `PAYLOAD_TOO_LARGE` as soon as it exceeds the limit, and
 * with `BAD_REQUEST` when it breaks off.
 */
export async function readBody(request: IncomingMessage, sender: Sender, memory: CountedMemory): Promise<Buffer> {
  const hasArrived = request.complete && request.readableLength <= maxBody && !request.destroyed
  const body = hasArrived ? readAtOnce(request) : await readChunks(request, sender.signal, memory)
  memory.resize(copies * bytesOfText(body))
  return body
}

/** How many bytes the text of a body may take: JavaScript keeps one for each character, or two if one of them is beyond Latin-1. */
const bytesOfText = (body: Buffer) => (isAscii(body) && !body.includes('\\u') ? body.length : 2 * body.length)

function readChunks(request: IncomingMessage, signal: AbortSignal, memory: CountedMemory): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    let body: Buffer = Buffer.alloc(0)
    let size = 0
    let isRefused = false
    const refuse = (refusal: Refusal) => {
      isRefused = true
      body = Buffer.alloc(0)
      memory.end()
      reject(refusal)
    }
    request.on('data', (chunk: Buffer) => {
      const before = size
      size += chunk.length
      if (size > maxDrained) request.destroy()
      if (isRefused) return
      if (size > maxBody) {
        refuse(new Refusal('PAYLOAD_TOO_LARGE', `The body exceeds ${maxBody} bytes.`))
        return
      }
      body = append(body, before, chunk)
      memory.resize(body.length)
    })
    request.on('end', () => resolve(body.subarray(0, size)))
    const breakOff = (cause?: Error) => {
      if (!isRefused) refuse(new Refusal('BAD_REQUEST', 'The body is incomplete.', { cause }))
    }
    request.on('error', breakOff)
    request.on('close', () => {
      if (!request.complete) breakOff()
    })
    signal.addEventListener('abort', () => breakOff(), { once: true })
    if (request.destroyed || signal.aborted) breakOff()
  })
}

/** Reads a body that has arrived. */
function readAtOnce(request: IncomingMessage): Buffer {
  const body: unknown = request.read()
  return Buffer.isBuffer(body) ? body : Buffer.alloc(0)
}

/** Appends a chunk to the first bytes of a buffer. A list of one-byte chunks would take a hundred times their size. */
function append(buffer: Buffer, size: number, chunk: Buffer): Buffer {
  const needed = size + chunk.length
  const grown = Math.min(maxBody, Math.max(needed, 2 * size))
  const larger = needed <= buffer.length ? buffer : Buffer.concat([buffer], grown)
  chunk.copy(larger, size)
  return larger
}

/**
 * Reads a JSON body as text. JSON has to be UTF-8 (RFC 8259, section 8.1): other bytes would be replaced silently.
 *
 * @throws the refusals `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE`, `UNAVAILABLE` and `BAD_REQUEST`
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
