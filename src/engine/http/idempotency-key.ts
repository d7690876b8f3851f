import type { FastifyRequest } from 'fastify'
import { parseItem } from 'structured-headers'
import { Refusal } from '../errors.ts'
import { hashOf, type RepeatableRequest } from '../execution/idempotency.ts'
import { pathOf } from './url.ts'

/** The header that marks a write that its client may send again. */
export const idempotencyHeader = 'Idempotency-Key'

/** The length of the longest key, in characters. */
export const longestIdempotencyKey = 255

/** The length of the longest header, in which each character of the key may be escaped. Parsing one of 16 KiB takes milliseconds. */
const longestHeader = 2 * longestIdempotencyKey + 2

/**
 * The key of an `Idempotency-Key` header: a quoted string (IETF draft-ietf-httpapi-idempotency-key-header, section 2.1), or without
 * quotes any visible characters. Throws `BAD_REQUEST` for anything else.
 */
function idempotencyKey(header: string): string {
  const key = header.length > longestHeader ? undefined : header.startsWith('"') ? quoted(header) : header
  if (key === undefined || key.length < 1 || key.length > longestIdempotencyKey || !/^[\x21-\x7e]+$/.test(key))
    throw new Refusal(
      'BAD_REQUEST',
      `Idempotency-Key must be a string of 1 to ${longestIdempotencyKey} visible ASCII characters.`,
    )
  return key
}

function quoted(header: string): string | undefined {
  try {
    const [value] = parseItem(header)
    return typeof value === 'string' ? value : undefined
  } catch {
    return undefined
  }
}

/**
 * What makes the write of a request repeatable, identified by a hash of all that decides its result, including the rights of the
 * token. Undefined without an `Idempotency-Key`, and without a token: then no account is known that the key belongs to. Throws
 * `BAD_REQUEST` for an invalid key.
 */
export function repeatableIn(request: FastifyRequest): RepeatableRequest | undefined {
  const { raw, method, bodyText: body, viewer } = request
  const { 'idempotency-key': key, 'if-match': ifMatch, 'if-none-match': ifNoneMatch } = raw.headers
  if (key === undefined || !viewer) return undefined
  const { applicationId, scopes } = viewer
  const query = raw.url?.split('?')[1]
  const asked = { method, path: pathOf(raw), query, ifMatch, ifNoneMatch, body }
  const parts = { applicationId, scopes: [...scopes].sort(), ...asked }
  return { key: idempotencyKey(key.toString()), requestHash: hashOf(JSON.stringify(parts)) }
}
