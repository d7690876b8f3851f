import { Refusal } from '../errors.ts'

/** Parses a query string. Throws `BAD_REQUEST` for one that is not percent-encoded UTF-8. */
export function readQuery(search: string): URLSearchParams {
  if (!isDecodable(search)) throw new Refusal('BAD_REQUEST', 'The query string is not percent-encoded UTF-8.')
  return new URLSearchParams(search)
}

/** Whether a text is percent-encoded UTF-8. */
export function isDecodable(text: string): boolean {
  try {
    // Bundlers remove the call if its result is not used.
    return decodeURIComponent(text).length <= text.length
  } catch {
    return false
  }
}
