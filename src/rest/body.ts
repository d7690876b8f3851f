import { invalid, Refusal } from '../errors.ts'
import type { RestRequest } from './http.ts'
import type { Variables } from './route.ts'

// "Stored as sent" holds for text alone: bytes that are no UTF-8 would be replaced silently.
const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON body (RFC 8259).
 *
 * @throws the refusals `UNSUPPORTED_MEDIA_TYPE`, `PAYLOAD_TOO_LARGE` and `BAD_REQUEST`
 */
export async function readBody({ contentType, body }: RestRequest): Promise<unknown> {
  const mediaType = contentType?.split(';', 1)[0]?.trim().toLowerCase()
  if (mediaType !== 'application/json') {
    throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json.')
  }
  const bytes = await body()
  try {
    return JSON.parse(utf8.decode(bytes))
  } catch (cause) {
    throw new Refusal('BAD_REQUEST', 'The body is not JSON.', { cause })
  }
}

/**
 * The fields of a body that a route reads, as variables. Other fields are ignored, and null counts as absent.
 *
 * @throws the refusal `VALIDATION_FAILED` when the body is no JSON object
 */
export function bodyVariables(body: unknown, fields: readonly string[]): Variables {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    throw invalid({ field: 'body', message: 'must be a JSON object' })
  }
  const given = Object.entries(body).filter(([field, value]) => value !== null && fields.includes(field))
  return Object.fromEntries(given)
}
