import type { IncomingHttpHeaders } from 'node:http'
import { constants } from 'node:zlib'
import { negotiate } from '@fastify/accept-negotiator'
import type { FastifyCompressOptions } from '@fastify/compress'
import { longestPreferences } from './negotiation.ts'

/** An encoding of responses. */
export type Encoding = 'br' | 'gzip' | 'identity'

/** Fewer bytes fit into one packet anyway. */
const leastCompressed = 1_024

/** On nested timelines, brotli at 1 is faster than gzip at 1; higher qualities save about a tenth more. */
export const compression = {
  threshold: leastCompressed,
  encodings: ['br', 'gzip', 'identity'] satisfies Encoding[],
  brotliOptions: { params: { [constants.BROTLI_PARAM_QUALITY]: 1 } },
  zlibOptions: { level: 1 },
  // Request bodies are not decompressed: a small one could become a large one.
  globalDecompression: false,
} satisfies FastifyCompressOptions

/** Replaces the preferences of a request by the encoding of large responses to it, so that their entity tags can name it. */
export function chooseEncoding(headers: IncomingHttpHeaders): void {
  headers['accept-encoding'] = negotiated(String(headers['accept-encoding'] ?? ''))
  // The plugin would compress nothing.
  delete headers['x-no-compression']
}

function negotiated(accepted: string): Encoding {
  const isShort = accepted.length <= longestPreferences
  return (isShort ? negotiate(accepted.toLowerCase(), compression.encodings) : null) ?? 'identity'
}

/** The encoding of a response of so many bytes to a request whose encoding is chosen. */
export function encodingOf(headers: IncomingHttpHeaders, bytes: number): Encoding {
  return bytes < leastCompressed ? 'identity' : negotiated(String(headers['accept-encoding']))
}
