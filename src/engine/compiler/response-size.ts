import { Refusal } from '../errors.ts'

/** The maximum size of a response, in bytes of JSON. */
export const maxResponseBytes = 1_048_576

/** The most that resolvers may read, because GraphQL.js completes their result in one step, during which nothing else is served. */
export const maxResolvedBytes = 262_144

/** The most that a cheap statement may return, because many of them are held at the same time. A larger result is read again, by a statement of its own. */
export const maxCheapBytes = 65_536

/** The refusal of a response, or of a part that resolvers read, that is too large. */
export function tooLarge(bytes: number, most = maxResponseBytes): Refusal {
  const what = most === maxResponseBytes ? 'A response' : 'The result of resolvers'
  const message = `${what} has at most ${most} bytes; this one has ${bytes}. Select fewer fields, or request smaller pages.`
  return new Refusal('VALIDATION_FAILED', message)
}
