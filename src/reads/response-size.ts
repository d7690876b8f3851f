import { Buffer } from 'node:buffer'
import { Refusal } from '../errors.ts'

/** How many bytes of JSON the answer to one operation has at most. */
export const maxResponseBytes = 10_000_000

/** How many bytes of JSON a request parses or encodes before it waits for a turn to continue. */
export const handledAtOnce = 65_536

const tooLarge = () =>
  new Refusal('VALIDATION_FAILED', `A response has at most ${maxResponseBytes} bytes. Request smaller pages.`)

/** The most bytes of UTF-8 that a UTF-16 code unit takes. */
const maxBytesOfUnit = 3

/** Returns the whole answer to an operation, as JSON. Throws `VALIDATION_FAILED` when it is too long. */
export function checkSize(json: string): string {
  // Counting bytes takes as long as encoding them, so they are counted only where they could be too many.
  if (json.length * maxBytesOfUnit > maxResponseBytes && Buffer.byteLength(json) > maxResponseBytes) throw tooLarge()
  return json
}

/** How much of its answer an operation has read, where it reads parts of it. */
export class ResponseSize {
  #bytes = 0

  /** Counts a text of JSON, and returns the total in bytes. Throws `VALIDATION_FAILED` when it is too much with what came before. */
  add(json: string): number {
    this.#bytes += Buffer.byteLength(json)
    if (this.#bytes > maxResponseBytes) throw tooLarge()
    return this.#bytes
  }
}
