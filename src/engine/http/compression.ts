import type { IncomingHttpHeaders } from 'node:http'
import { constants } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyCompressOptions } from '@fastify/compress'
import Negotiator from 'negotiator'

/** The maximum length of a header with preferences. Parsing takes up to a microsecond for ten characters, and browsers send about 150. */
const longestPreferences = 1_000

/** Chooses the media type that a client prefers. Preferences that are too long count as none, as RFC 9110, section 12.5, permits. */
export function negotiatorFor({ accept }: Pick<IncomingHttpHeaders, 'accept'>): Negotiator {
  const isShort = accept !== undefined && accept.length <= longestPreferences
  return new Negotiator({ headers: { accept: isShort ? accept : undefined } })
}

/** The encodings of responses, the best first. */
export const encodings = ['br', 'gzip', 'identity'] as const

/** An encoding of responses. */
export type Encoding = (typeof encodings)[number]

/** Fewer bytes fit into one packet anyway. */
const leastCompressed = 1_024

/** On nested JSON, brotli at 1 is faster than gzip at 1; higher qualities save about a tenth more. */
export const compression = {
  threshold: leastCompressed,
  encodings: [...encodings],
  customTypes: /^text\/(?!event-stream)|[+/](?:json|jsonl|text|xml)(?:;|$)|octet-stream(?:;|$)/u,
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  zlibOptions: { level: 1 },
  // Request bodies are not decompressed: a small one could become a large one.
  globalDecompression: false,
} satisfies FastifyCompressOptions

/** Replaces the preferences of a request by the encoding of large responses to it, so that their entity tags can name it. */
export function chooseEncoding(headers: IncomingHttpHeaders): void {
  const accepted = String(headers['accept-encoding'] ?? '').toLowerCase()
  const isShort = accepted.length <= longestPreferences
  // The negotiator takes `*` for the first encoding, even if the client excludes it.
  const acceptable = accepted.includes('*') ? encodings.filter((it) => !excluded[it].test(accepted)) : encodings
  headers['accept-encoding'] = (isShort ? negotiate(accepted, [...acceptable]) : null) ?? 'identity'
  // The plugin would compress nothing.
  delete headers['x-no-compression']
}

const exclusion = (encoding: Encoding) => new RegExp(`(?:^|[\\s,])${encoding}\\s*;\\s*q=0(?:\\.0*)?\\s*(?:,|$)`)
const excluded = { br: exclusion('br'), gzip: exclusion('gzip'), identity: exclusion('identity') }

/** The encoding of a response of this many bytes, once that of its request is chosen. */
export function encodingOf(headers: IncomingHttpHeaders, bytes: number): Encoding {
  const chosen = encodings.find((encoding) => encoding === headers['accept-encoding'])
  return bytes < leastCompressed || chosen === undefined ? 'identity' : chosen
}
