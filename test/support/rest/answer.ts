import { expect } from 'vitest'
import { z } from 'zod'
import { type ErrorCode, errorCodes } from '../../../src/engine/errors.ts'
import { linesOf } from './documented-answers.ts'

const jsonLines = 'application/jsonl'

const named = [
  'content-type',
  'api-version',
  'www-authenticate',
  'allow',
  'accept-patch',
  'accept-post',
  'link',
  'retry-after',
]

/** The page of the interface that documents a response. */
export type Version = 'V26.07.22' | 'V26.05.28'

/** A challenge without the URL of the metadata, which differs between servers. */
const withoutMetadata = (challenge: string) => challenge.replace(/, resource_metadata="[^"]+"$/, '')

/** A REST response with its documented headers. */
export async function readAnswer(response: Response) {
  const text = await response.text()
  const isLines = response.headers.get('content-type') === jsonLines
  const body: unknown = text === '' ? undefined : isLines ? linesOf(text) : JSON.parse(text)
  const headers = Object.fromEntries(
    [...response.headers]
      .filter(([name]) => named.includes(name))
      .map(([name, value]) => [name, withoutMetadata(value)]),
  )
  return { status: response.status, headers, requestId: response.headers.get('x-request-id'), body }
}

/** Matches any UUID of version 7. */
export const anyUuid: unknown = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
)

/** Matches any request id, which is a random UUID. */
export const anyRequestId: unknown = expect.stringMatching(
  /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/,
)

/** The headers of a response, with anything in place of those that change with each request. */
export function anyChanging(headers: object): object {
  const isLimited = 'ratelimit' in headers
  const ratelimit = expect.stringMatching(/^"default";r=\d+;t=\d+$/)
  const policy = 'content-security-policy' in headers ? String(headers['content-security-policy']) : ''
  // A nonce changes a compressed page, and so its length.
  const ofNonce = { 'content-security-policy': expect.stringContaining('nonce-'), 'content-length': expect.any(String) }
  return {
    ...headers,
    date: expect.any(String),
    'x-request-id': anyRequestId,
    ...(isLimited && { ratelimit }),
    ...(policy.includes('nonce-') && ofNonce),
  }
}

/** Matches the time in so many seconds, in whole seconds. */
export const timeIn = (seconds: number) => ({
  asymmetricMatch: (value: unknown) =>
    Number.isInteger(value) && Math.abs(Number(value) - seconds - Date.now() / 1000) < 600,
})
export const anyTime = timeIn(0)

const anySentence: unknown = expect.stringMatching(/\S/)

/** Matches JSON Lines that have these, whatever their cursors, and lines of tokens. */
export class Lines {
  readonly lines: readonly object[]

  constructor(lines: readonly object[]) {
    this.lines = lines
  }

  asymmetricMatch(value: unknown): boolean {
    const found = z.array(z.looseObject({ type: z.string() })).parse(value)
    const others = found.filter(({ type }) => type !== 'token').map(({ cursor, ...line }) => line)
    return JSON.stringify(others) === JSON.stringify([...this.lines, { type: 'end', lines: found.length }])
  }
}

/** The expected response of a success. */
export function done(version: Version, body: unknown, headers: Record<string, string> = {}) {
  return {
    status: 200,
    headers: {
      'content-type': body instanceof Lines ? jsonLines : 'application/json',
      'api-version': version,
      ...headers,
    },
    requestId: anyRequestId,
    body,
  }
}

/** The expected response of a refusal; `fields` are the invalid fields of a 422. */
export function refused(
  version: Version,
  code: ErrorCode,
  { fields, headers = {} }: { fields?: readonly string[]; headers?: Record<string, unknown> } = {},
) {
  const { status, title } = errorCodes[code]
  const type = `urn:rookery:error:${code.toLowerCase()}`
  const reason = code === 'FORBIDDEN' && { reason: expect.any(String) }
  const errors = fields && { errors: fields.map((field) => ({ field, message: anySentence })) }
  return {
    status,
    headers: { 'content-type': 'application/problem+json', 'api-version': version, ...headers },
    requestId: anyRequestId,
    body: { type, title, status, detail: anySentence, code, ...reason, ...errors },
  }
}

/**
 * The expected response to a token with these scopes and with none of these sets, in any order (RFC 6749, section 3.3): it names what
 * the token lacks of one set of which it lacks least.
 */
export function tooNarrow(version: Version, granted: readonly string[], alternatives: readonly (readonly string[])[]) {
  const lacking = alternatives.map((set) => set.filter((scope) => !granted.includes(scope)).toSorted())
  const least = Math.min(...lacking.map(({ length }) => length))
  const named = lacking.filter(({ length }) => length === least).map((scopes) => scopes.join(' '))
  const challenge = {
    asymmetricMatch: (value: unknown) => {
      const [, scopes = ''] = /^Bearer error="insufficient_scope", scope="([a-z. ]+)"$/.exec(String(value)) ?? []
      return named.includes(scopes.split(' ').toSorted().join(' '))
    },
    toString: () => `the challenge for ${named.join(', or ')}`,
  }
  const inOrder = (sets: unknown) =>
    JSON.stringify(
      z
        .array(z.array(z.string()))
        .parse(sets)
        .map((set) => set.sort())
        .sort(),
    )
  const requiredScopes = {
    asymmetricMatch: (value: unknown) => inOrder(value) === inOrder(alternatives),
    toString: () => `the scopes ${JSON.stringify(alternatives)}`,
  }
  const { body, ...rest } = refused(version, 'INSUFFICIENT_SCOPE', { headers: { 'www-authenticate': challenge } })
  return { ...rest, body: { ...body, requiredScopes } }
}
