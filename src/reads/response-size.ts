import { Buffer } from 'node:buffer'
import { Refusal } from '../errors.ts'

/** The maximum size of a response, in bytes of JSON. */
export const maxResponseBytes = 10_000_000

/** How much JSON a request parses, completes or encodes before it waits for a turn to continue, in UTF-16 code units. */
export const handledAtOnce = 65_536

/** Throws `VALIDATION_FAILED` when a response of this size is too large. */
export function checkResponseSize(bytes: number): void {
  if (bytes > maxResponseBytes)
    throw new Refusal('VALIDATION_FAILED', `A response has at most ${maxResponseBytes} bytes. Request smaller pages.`)
}

/** The size of a response that is read in parts. */
export class ResponseSize {
  #bytes = 0

  /** Counts a part, as JSON. Throws `VALIDATION_FAILED` when all parts together are too large. */
  add(json: string): void {
    this.#bytes += Buffer.byteLength(json)
    checkResponseSize(this.#bytes)
  }
}
