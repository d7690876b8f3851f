import { hash as digest } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { chooseEncoding, compressions, encodingHeaders } from '../../http/encoding.ts'
import { matchesWeakly, readEntityTags } from '../../http/entity-tags.ts'
import type { HttpResponse } from '../../http/response.ts'
import { once } from './once.ts'

/** A resource that does not change while the process runs. It is created on first use, compressed once, and cached. */
export type StaticResource = {
  /** The start of the SHA-256 of its content. */
  hash(): Promise<string>
  /**
   * Responds in an encoding that the request accepts, or with 304 when the client has it (RFC 9110, sections 12.5.3 and 13.1.2). Throws
   * `BAD_REQUEST` for a malformed `If-None-Match`.
   */
  respond(requestHeaders: IncomingHttpHeaders): Promise<HttpResponse>
}

// Takes half a second for GraphiQL's nine megabytes; the best quality takes half a minute and saves a tenth.
const qualities = { br: 5, gzip: 6 } as const

/** Creates a static resource with the content from `load` and these response headers. */
export function staticResource(
  load: () => string | Promise<string | Buffer>,
  headers: Readonly<Record<string, string>>,
): StaticResource {
  const plain = once(async () => Buffer.from(await load()))
  const encodings = {
    br: once(async () => compressions.br(await plain(), qualities.br)),
    gzip: once(async () => compressions.gzip(await plain(), qualities.gzip)),
    identity: plain,
  }
  const hash = once(async () => digest('sha256', await plain(), 'base64url').slice(0, 16))

  return {
    hash,
    respond: async (requestHeaders) => {
      const encoding = chooseEncoding(requestHeaders)
      const etag = `"${await hash()}-${encoding}"`
      const varying = { ...headers, etag, ...encodingHeaders('identity') }
      const known = readEntityTags('If-None-Match', requestHeaders['if-none-match'])
      if (known && matchesWeakly(known, etag)) return { status: 304, headers: varying, body: undefined }
      return { status: 200, headers: { ...varying, ...encodingHeaders(encoding) }, body: await encodings[encoding]() }
    },
  }
}
