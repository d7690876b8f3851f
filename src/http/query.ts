import { Refusal } from '../errors.ts'

/** Parses a query string. Throws `BAD_REQUEST` for one that is not percent-encoded UTF-8. */
export function readQuery(search: string): URLSearchParams {
  try {
    decodeURIComponent(search)
  } catch (cause) {
    throw new Refusal('BAD_REQUEST', 'The query string is not percent-encoded UTF-8.', { cause })
  }
  return new URLSearchParams(search)
}
