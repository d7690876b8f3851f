import { hash } from 'node:crypto'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../errors.ts'
import { addReadOnly } from './allowed-methods.ts'
import { type Encoding, encodingOf, encodings } from './compression.ts'
import { type HttpResponse, sendResponse } from './response.ts'

/** The value of `If-Match` or `If-None-Match`: `*` or entity tags as they were sent. */
export type EntityTags = '*' | readonly string[]

/** An entity tag (RFC 9110, section 8.8.3). */
const tag = /(?:W\/)?"[\x21\x23-\x7e\x80-\xff]*"/g

/** `*` or a list of entity tags, which may have empty elements (section 5.6.1.2). Without flags, so that OpenAPI can use the pattern. */
export const entityTagList = new RegExp(
  `^[ \\t]*(?:\\*|(?:,[ \\t]*)*${tag.source}(?:[ \\t]*,(?:[ \\t]*${tag.source})?)*)[ \\t]*$`,
)

/** Parses the value of a header. Undefined without one. Throws `BAD_REQUEST` if it is malformed. */
export function readEntityTags(header: string, value: string | undefined): EntityTags | undefined {
  if (value === undefined) return undefined
  if (!entityTagList.test(value))
    throw new Refusal('BAD_REQUEST', `${header} must be * or a list of entity tags in double quotes.`)
  return value.trim() === '*' ? '*' : (value.match(tag) ?? [])
}

/** The tag of a response that is encoded (RFC 9110, section 8.8.3.3). Other tags end with no name of an encoding. */
export const tagOfEncoding = (tag: string, encoding: Encoding): string =>
  encoding === 'identity' ? tag : tag.replace(/"$/, `.${encoding}"`)

const ofEncoding = new RegExp(`\\.(?:${encodings.join('|')})"$`)

/** The tags without the encodings of their responses: a write concerns all of them. */
export const tagsOfAnyEncoding = (tags: EntityTags): EntityTags =>
  tags === '*' ? tags : tags.map((tag) => tag.replace(ofEncoding, '"'))

/** Whether one of the tags is this strong one, by the weak comparison that `If-None-Match` requires (RFC 9110, section 13.1.2). */
export function matchesWeakly(tags: EntityTags, tag: string): boolean {
  return tags === '*' || tags.some((each) => each === tag || each === `W/${tag}`)
}

/** Throws `PRECONDITION_FAILED` for `If-Match` where nothing has an entity tag. */
export function refuseTags(headers: IncomingHttpHeaders): void {
  if (headers['if-match'] !== undefined)
    throw new Refusal('PRECONDITION_FAILED', 'Nothing that has an entity tag is at this path: send no If-Match.')
}

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
 * Adds a path with a text that depends on nothing of a request but its variant, and is made and encoded once for each. Without a
 * variant of its own, and where there are too many, a request gets the text of `undefined`.
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
