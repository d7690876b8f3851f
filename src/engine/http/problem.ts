import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import { type ErrorCode, errorCodes, Refusal } from '../errors.ts'
import { maskedRefusal } from '../execution/mask.ts'
import type { Log } from '../log.ts'
import { maxBody, notJson } from './json-body.ts'
import type { HttpResponse } from './response.ts'

/** The response to a refused request: a problem document (RFC 9457) with the headers of the refusal. */
export function problem(refusal: Refusal): HttpResponse {
  const headers = { 'content-type': 'application/problem+json', ...refusal.headers }
  return { status: errorCodes[refusal.code].status, headers, body: JSON.stringify(problemDocument(refusal)) }
}

/** The problem document (RFC 9457) of a refusal. */
export function problemDocument({ code, message: detail, details }: Refusal) {
  const { reason, errors, requiredScopes, suspension, challenge, limit, resetsAt, requestId } = details
  const { status, title } = errorCodes[code]
  const type = `urn:rookery:error:${code.toLowerCase()}`
  const instance = requestId ? { instance: `urn:uuid:${requestId}` } : {}
  return {
    type,
    title,
    status,
    detail,
    ...instance,
    code,
    ...(reason && { reason }),
    ...(errors && { errors }),
    ...(requiredScopes && { requiredScopes }),
    ...(limit && { limit }),
    ...(resetsAt && { resets_at: Math.floor(resetsAt.getTime() / 1_000) }),
    ...(suspension && { ...suspension, since: Math.floor(suspension.since.getTime() / 1_000) }),
    ...(challenge && { challenge }),
  }
}

/** The refusals of what Fastify finds wrong with a request, by its codes (lib/errors.js), and of clients that leave. */
const refusals: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map([
  ['FST_ERR_CTP_INVALID_CONTENT_LENGTH', ['BAD_REQUEST', 'The body is incomplete.']],
  ['ECONNRESET', ['BAD_REQUEST', 'The body is incomplete.']],
  ['ERR_STREAM_PREMATURE_CLOSE', ['UNAVAILABLE', 'The client has disconnected.']],
])

/** The refusals of other requests that Fastify or its plugins cannot serve, by their statuses. */
const otherRefusals: ReadonlyMap<number, readonly [ErrorCode, string]> = new Map([
  [404, ['NOT_FOUND', 'Nothing was found at this path. The start page has an overview.']],
  [412, ['PRECONDITION_FAILED', 'The resource does not meet the preconditions of the request.']],
])

const malformed: readonly [ErrorCode, string] = ['BAD_REQUEST', 'The request is malformed.']

const facts = z.object({ code: z.string().optional(), statusCode: z.number().optional() })

/** The refusal that an error of a request becomes. An unexpected error is logged and masked. */
export function refusalIn(error: unknown, { id, method, routeOptions }: FastifyRequest, log: Log): Refusal {
  const { code = '', statusCode = 500 } = facts.safeParse(error).data ?? {}
  const { body } = routeOptions.config
  if (code === 'FST_ERR_CTP_INVALID_MEDIA_TYPE')
    return body ? new Refusal('UNSUPPORTED_MEDIA_TYPE', `The body must be sent as ${body.type}.`) : notJson(method)
  if (code === 'FST_ERR_CTP_BODY_TOO_LARGE')
    return new Refusal('PAYLOAD_TOO_LARGE', `The body exceeds ${body?.limit ?? maxBody} bytes.`)
  const known = refusals.get(code) ?? otherRefusals.get(statusCode) ?? (statusCode < 500 ? malformed : undefined)
  return known ? new Refusal(...known, { cause: error }) : maskedRefusal(error, id, log)
}
