import type { IncomingHttpHeaders } from 'node:http'
import Negotiator from 'negotiator'

/** The maximum length of a header with preferences. Parsing takes up to a microsecond for ten characters, and browsers send about 150. */
export const longestPreferences = 1_000

/** Chooses the media type that a client prefers. Preferences that are too long count as none, as RFC 9110, section 12.5, permits. */
export function negotiatorFor({ accept }: Pick<IncomingHttpHeaders, 'accept'>): Negotiator {
  const isShort = accept !== undefined && accept.length <= longestPreferences
  return new Negotiator({ headers: { accept: isShort ? accept : undefined } })
}
