import { Buffer } from 'node:buffer'
import { Refusal } from '../errors.ts'

/** The maximum size of a response, in bytes of JSON. */
export const maxResponseBytes = 10_000_000

/** How much JSON a request parses, completes or encodes before it waits for a turn to continue, in UTF-16 code units. */
export const handledAtOnce = 65_536

const tooLarge = () =>
  new Refusal('VALIDATION_FAILED', `A response has at most ${maxResponseBytes} bytes. Request smaller pages.`)

/** The maximum number of UTF-8 bytes for one UTF-16 code unit. */
const maxBytesOfUnit = 3

/** Throws `VALIDATION_FAILED` when the parts of a response, as JSON, are too long together. */
export function checkSize(parts: readonly (string | undefined)[]): void {
  const units = parts.reduce((sum, json = '') => sum + json.length, 0)
  // Counting bytes takes as long as encoding them, so they are counted only where they could be too many.
  if (units * maxBytesOfUnit <= maxResponseBytes) return
  if (parts.reduce((sum, json = '') => sum + Buffer.byteLength(json), 0) > maxResponseBytes) throw tooLarge()
}

/** The size of the JSON that an operation reads in parts. */
export class ResponseSize {
  #bytes = 0

  /** Counts a part. Throws `VALIDATION_FAILED` when all parts together are too large. */
  add(json: string): void {
    this.#bytes += Buffer.byteLength(json)
    if (this.#bytes > maxResponseBytes) throw tooLarge()
  }
}
