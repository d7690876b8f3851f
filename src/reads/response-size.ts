import { Refusal } from '../errors.ts'

/** The maximum size of a response, in bytes of JSON. */
export const maxResponseBytes = 1_048_576

/** The refusal of a response that is too large. */
export function tooLarge(bytes: number): Refusal {
  const message = `A response has at most ${maxResponseBytes} bytes; this one has ${bytes}. Select fewer fields, or request smaller pages.`
  return new Refusal('VALIDATION_FAILED', message)
}
