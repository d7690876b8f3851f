import { errorCodes, type Refusal } from '../errors.ts'
import type { HttpResponse } from './response.ts'

/** The response to a refused request: a problem document (RFC 9457) with the headers of the refusal. */
export function problem(refusal: Refusal): HttpResponse {
  const headers = { 'content-type': 'application/problem+json', ...refusal.headers }
  return { status: errorCodes[refusal.code].status, headers, body: JSON.stringify(problemDocument(refusal)) }
}

/** The problem document (RFC 9457) of a refusal. */
export function problemDocument({ code, message: detail, details }: Refusal) {
  const { reason, errors, requiredScopes, requestId } = details
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
  }
}
