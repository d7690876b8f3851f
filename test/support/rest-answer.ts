import { expect } from 'vitest'

/** The documented codes that the REST interface refuses with, their statuses and titles. */
const problems = {
  BAD_REQUEST: { status: 400, title: 'Bad request' },
  UNAUTHENTICATED: { status: 401, title: 'Unauthenticated' },
  INSUFFICIENT_SCOPE: { status: 403, title: 'Insufficient scope' },
  FORBIDDEN: { status: 403, title: 'Forbidden' },
  POST_LOCKED: { status: 403, title: 'Post locked' },
  NOT_FOUND: { status: 404, title: 'Not found' },
  METHOD_NOT_ALLOWED: { status: 405, title: 'Method not allowed' },
  PAYLOAD_TOO_LARGE: { status: 413, title: 'Payload too large' },
  UNSUPPORTED_MEDIA_TYPE: { status: 415, title: 'Unsupported media type' },
  VALIDATION_FAILED: { status: 422, title: 'Validation failed' },
} as const

const named = ['content-type', 'api-version', 'www-authenticate', 'allow', 'link', 'retry-after']

/** Which page of the interface an answer follows. */
export type Version = 'V26.07.22' | 'V26.05.28'

/** An answer of the REST interface, with all of its headers that the interface names. */
export async function readAnswer(response: Response) {
  const text = await response.text()
  const body: unknown = text === '' ? undefined : JSON.parse(text)
  const headers = Object.fromEntries([...response.headers].filter(([name]) => named.includes(name)))
  return { status: response.status, headers, requestId: response.headers.get('x-request-id'), body }
}

/** Any UUID of version 7. */
export const anyUuid: unknown = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
)

/** Any id of a request: a random UUID. */
export const anyRequestId: unknown = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
)

/** The time of something that was just made, in whole seconds. */
export const anyTime = {
  asymmetricMatch: (value: unknown) => Number.isInteger(value) && Math.abs(Number(value) - Date.now() / 1000) < 600,
}

const anySentence: unknown = expect.stringMatching(/\S/)

/** The whole answer to what was done. */
export function done(version: Version, body: unknown, headers: Record<string, string> = {}) {
  return {
    status: 200,
    headers: { 'content-type': 'application/json', 'api-version': version, ...headers },
    requestId: anyRequestId,
    body,
  }
}

/** The whole answer to what was refused; `fields` are those that a 422 names. */
export function refused(
  version: Version,
  code: keyof typeof problems,
  { fields, headers = {} }: { fields?: readonly string[]; headers?: Record<string, unknown> } = {},
) {
  const { status, title } = problems[code]
  const type = `urn:rookery:error:${code.toLowerCase()}`
  const errors = fields && { errors: fields.map((field) => ({ field, message: anySentence })) }
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'api-version': version, ...headers },
    requestId: anyRequestId,
    body: { type, title, status, detail: anySentence, code, ...errors },
  }
}

/** The whole answer to a token that lacks these scopes, in whatever order (RFC 6749, section 3.3). */
export function tooNarrow(version: Version, missing: readonly string[]) {
  const challenge = {
    asymmetricMatch: (value: unknown) => {
      const [, named = ''] = /^Bearer error="insufficient_scope", scope="([a-z. ]+)"$/.exec(String(value)) ?? []
      return named.split(' ').toSorted().join() === missing.toSorted().join()
    },
    toString: () => `the challenge for ${missing.join(' ')}`,
  }
  return refused(version, 'INSUFFICIENT_SCOPE', { headers: { 'www-authenticate': challenge } })
}
