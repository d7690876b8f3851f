import type { FastifyRequest } from 'fastify'
import { type ErrorCode, Refusal } from '../errors.ts'
import { maxBody } from './json-body.ts'

/** The refusals of what Fastify finds wrong with a request, by its codes (lib/errors.js). */
const refusals: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map([
  ['FST_ERR_CTP_INVALID_MEDIA_TYPE', ['UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json.']],
  ['FST_ERR_CTP_BODY_TOO_LARGE', ['PAYLOAD_TOO_LARGE', `The body exceeds ${maxBody} bytes.`]],
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', ['BAD_REQUEST', 'The body is incomplete.']],
  ['ECONNRESET', ['BAD_REQUEST', 'The body is incomplete.']],
])

/** The refusal that an error of a request becomes. An unexpected error is logged and masked. */
export function refusalIn(error: unknown, { served }: FastifyRequest): Refusal {
  const code = error instanceof Error && 'code' in error ? String(error.code) : ''
  const known = refusals.get(code)
  return served.refusalOf(known ? new Refusal(...known, { cause: error }) : error)
}
