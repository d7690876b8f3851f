import { hash } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { addReadOnly } from './allowed-methods.ts'
import { type Encoding, encodingOf } from './compression.ts'
import { matchesWeakly, readEntityTags } from './entity-tags.ts'
import { type HttpResponse, sendResponse } from './response.ts'

/** How many variants of a text are kept. Anybody can ask this machine for any of its ports. */
const mostVariants = 8

/** A response in all encodings. */
type Encoded = Omit<HttpResponse, 'body'> & {
  readonly tag: string
  readonly bodies: Readonly<Record<Encoding, Buffer>>
}

const compressBrotli = promisify(brotliCompress)
const compressGzip = promisify(gzip)

async function encode({ status, headers, body }: HttpResponse): Promise<Encoded> {
  const identity = Buffer.from(String(body))
  const params = { [constants.BROTLI_PARAM_QUALITY]: 9, [constants.BROTLI_PARAM_SIZE_HINT]: identity.length }
  const [br, gzip] = await Promise.all([compressBrotli(identity, { params }), compressGzip(identity, { level: 9 })])
  const tag = `"${hash('sha256', identity, 'base64url')}"`
  // A weak tag is that of all encodings.
  const own = { 'cache-control': 'no-cache', vary: 'accept-encoding', etag: `W/${tag}` }
  return { status, headers: { ...own, ...headers }, tag, bodies: { br, gzip, identity } }
}

/**
 * Adds a path with a text that depends on nothing of a request but its variant, and is made and encoded once for each. Without a variant of its own,
 * and where there are too many, a request gets the text of `undefined`.
 */
export function addStaticText<Variant extends object>(
  scope: FastifyInstance,
  url: string,
  variantOf: (message: IncomingMessage) => Variant | undefined,
  make: (variant: Variant | undefined) => HttpResponse | Promise<HttpResponse>,
): void {
  const made = new Map<string, Promise<Encoded>>()

  function find(variant: Variant | undefined): Promise<Encoded> {
    const key = JSON.stringify(variant ?? null)
    const known = made.get(key)
    if (known) return known
    if (variant && made.size >= mostVariants) return find(undefined)
    const encoded = Promise.resolve(make(variant)).then(encode)
    made.set(key, encoded)
    encoded.catch(() => made.delete(key))
    return encoded
  }

  addReadOnly(scope, url, async ({ raw }, reply) => {
    const { status, headers, tag, bodies } = await find(variantOf(raw))
    const known = readEntityTags('If-None-Match', raw.headers['if-none-match'])
    if (known && matchesWeakly(known, tag)) return sendResponse(reply, { status: 304, headers, body: undefined })
    const encoding = encodingOf(raw.headers, bodies.identity.length)
    if (encoding !== 'identity') reply.header('content-encoding', encoding)
    return sendResponse(reply, { status, headers, body: bodies[encoding] })
  })
}
