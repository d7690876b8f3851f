import { createHash } from 'node:crypto'
import type { IncomingHttpHeaders } from 'node:http'
import { promisify } from 'node:util'
import { brotliCompress, constants, gzip } from 'node:zlib'
import Negotiator from 'negotiator'
import type { Answer } from '../answer.ts'
import { once } from './once.ts'

/** A document that stays as it is while the process runs: made when it is first asked for, compressed once, and kept. */
export type Kept = {
  /** The start of the SHA-256 of what is in it. */
  hash(): Promise<string>
  /** Answers in an encoding that the request accepts, or with 304 where the client has it (RFC 9110, sections 12.5.3 and 13.1.2). */
  answer(headers: IncomingHttpHeaders): Promise<Answer>
}

// Half a second for GraphiQL's nine megabytes; the best quality would take half a minute, and gain a tenth.
const brotliParameters = { params: { [constants.BROTLI_PARAM_QUALITY]: 5 } }

/** Keeps what `load` makes; `headers` are those of the answer. */
export function kept(load: () => string | Promise<string>, headers: Readonly<Record<string, string>>): Kept {
  const plain = once(async () => Buffer.from(await load()))
  const encodings = {
    br: once(async () => promisify(brotliCompress)(await plain(), brotliParameters)),
    gzip: once(async () => promisify(gzip)(await plain())),
    identity: plain,
  }
  const names = ['br', 'gzip', 'identity'] as const
  const hash = once(async () =>
    createHash('sha256')
      .update(await plain())
      .digest('base64url')
      .slice(0, 16),
  )

  return {
    hash,
    answer: async (asked) => {
      const accepted = new Negotiator({ headers: asked }).encodings([...names])
      const encoding = names.find((name) => accepted.includes(name)) ?? 'identity'
      const etag = `"${await hash()}-${encoding}"`
      const always = { ...headers, etag, vary: 'Accept-Encoding' }
      const known = asked['if-none-match']?.split(',').map((tag) => tag.trim().replace(/^W\//, '')) ?? []
      if (known.includes(etag) || known.includes('*')) return { status: 304, headers: always, body: undefined }
      const encoded = encoding === 'identity' ? {} : { 'content-encoding': encoding }
      return { status: 200, headers: { ...always, ...encoded }, body: await encodings[encoding]() }
    },
  }
}
