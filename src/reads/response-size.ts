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

/** Returns the whole answer to an operation, as JSON. Throws `VALIDATION_FAILED` when it is too long. */
export function checkSize(json: string): string {
  // Counting bytes takes as long as encoding them, so they are counted only where they could be too many.
  if (json.length * maxBytesOfUnit > maxResponseBytes && Buffer.byteLength(json) > maxResponseBytes) throw tooLarge()
  return json
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
