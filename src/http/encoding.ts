import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import { negotiatorFor } from './negotiation.ts'

const brotli = promisify(brotliCompress)
const deflate = promisify(gzip)

/** The compressing encodings. Each has its own quality scale. */
export const compressions = {
  br: (body: string | Buffer, quality: number) =>
    brotli(body, {
      params: { [constants.BROTLI_PARAM_QUALITY]: quality, [constants.BROTLI_PARAM_SIZE_HINT]: body.length },
    }),
  gzip: (body: string | Buffer, level: number) => deflate(body, { level }),
}

/** How a body is encoded (RFC 9110, section 8.4.1). */
export type Encoding = keyof typeof compressions | 'identity'

/** The encodings in the order of preference among those that a client accepts equally. */
const encodings: readonly Encoding[] = ['br', 'gzip', 'identity']

/** The parameter `preferred` is missing from the types of negotiator. */
type EncodingChooser = {
  encoding(available: readonly string[], options: { readonly preferred: readonly string[] }): string | undefined
}

/** The encoding that a client prefers: `identity` unless its `Accept-Encoding` prefers another one (RFC 9110, section 12.5.3). */
export function chooseEncoding(headers: IncomingHttpHeaders): Encoding {
  if (headers['accept-encoding'] === undefined) return 'identity'
  const chooser: EncodingChooser = negotiatorFor(headers)
  const chosen = chooser.encoding(encodings, { preferred: encodings })
  return encodings.find((encoding) => encoding === chosen) ?? 'identity'
}

/** The headers of a body in this encoding. The encoding depends on the request, so they include `Vary`. */
export function encodingHeaders(encoding: Encoding): Readonly<Record<string, string>> {
  return { vary: 'Accept-Encoding', ...(encoding === 'identity' ? {} : { 'content-encoding': encoding }) }
}
