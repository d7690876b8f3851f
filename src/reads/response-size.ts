import { Buffer } from 'node:buffer'
import { Refusal } from '../errors.ts'

/** How many bytes of JSON the answer to one operation has at most. */
export const maxResponseBytes = 10_000_000

/** How much of its answer an operation has read. */
export class ResponseSize {
  #bytes = 0

  /** Counts a text of JSON. Throws `VALIDATION_FAILED` when it is too much with what came before. */
  add(json: string): string {
    this.#bytes += Buffer.byteLength(json)
    if (this.#bytes <= maxResponseBytes) return json
    throw new Refusal('VALIDATION_FAILED', `A response has at most ${maxResponseBytes} bytes. Request smaller pages.`)
  }
}
