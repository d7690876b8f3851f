import { z } from 'zod'
import { insufficientScope } from '../../auth/scope-checks.ts'
import {
  type ErrorCode,
  errorCodes,
  forbidden,
  forbiddenReasons,
  invalid,
  isErrorCode,
  isForbiddenReason,
  Refusal,
} from '../../errors.ts'
import { problemDocument } from '../../http/problem.ts'
import type { Documented } from '../operation.ts'
import { components, int32, matching } from '../types.ts'
import { commonHeaders, headerRef, headers } from './headers.ts'
import { type Json, ref } from './json.ts'

/** The error codes that an operation can return, by their statuses. */
function codesOf(operation: Documented): ReadonlyMap<number, readonly ErrorCode[]> {
  const { method, path, body, query, list, errors = [] } = operation
  const possible: ErrorCode[] = ['BAD_REQUEST', 'UNAUTHENTICATED', 'INSUFFICIENT_SCOPE', 'ACCOUNT_SUSPENDED', ...errors]
  possible.push('PRECONDITION_FAILED')
  possible.push('REQUEST_TIMEOUT', 'RATE_LIMITED', 'HEADERS_TOO_LARGE', 'INTERNAL', 'UNAVAILABLE')
  if (path.includes('{')) possible.push('NOT_FOUND')
  if (body) possible.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (body || query || list) possible.push('VALIDATION_FAILED')
  if (method !== 'GET') possible.push('IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED', 'OUTCOME_UNKNOWN')
  const codes = Object.keys(errorCodes)
    .filter(isErrorCode)
    .filter((code) => possible.includes(code))
  const byStatus = (status: number) => codes.filter((code) => errorCodes[code].status === status)
  return new Map(codes.map((code) => [errorCodes[code].status, byStatus(errorCodes[code].status)]))
}

const inPascal = (code: ErrorCode) =>
  code.toLowerCase().replace(/(?:^|_)(\w)/g, (_, letter: string) => letter.toUpperCase())
const schemaName = (code: ErrorCode) => `${inPascal(code)}Problem`
const responseName = (codes: readonly ErrorCode[]) => codes.map(inPascal).join('Or')

const exampleId = '5f0c7c1e-8f0a-4b57-9a34-1c2d3e4f5a6b'

function exampleOf(code: ErrorCode) {
  if (code === 'INSUFFICIENT_SCOPE') return problemDocument(insufficientScope([['user.get', 'user.follow']], undefined))
  const { title } = errorCodes[code]
  if (code === 'FORBIDDEN') return problemDocument(forbidden('BLOCKED', `${title}.`))
  const isInvalid = code === 'VALIDATION_FAILED'
  const refusal = isInvalid
    ? invalid({ field: 'content', message: 'must not be blank' })
    : new Refusal(code, `${title}.`, code === 'INTERNAL' ? { requestId: exampleId } : {})
  return problemDocument(refusal)
}

const sentence = matching(/\S/, 2000)

/** Each document lists the scopes of its own interface. */
const scope = z.string().describe('A scope.').register(components, { id: 'Scope' })

const requiredScopes = z
  .array(z.array(scope).min(1).max(100).describe('Scopes that a token must have together.'))
  .min(1)
  .max(10)
  .describe('Alternative sets of scopes, one of which the token must have.')

const fieldError = z
  .object({
    field: matching(/^\S+$/, 200).describe('The name of the field, as it was sent.'),
    message: sentence.describe('The requirement that the value does not meet.'),
  })
  .describe('The error of one field.')
  .register(components, { id: 'FieldError' })

const reason = z
  .enum(Object.keys(forbiddenReasons).filter(isForbiddenReason))
  .describe(
    `Why: ${Object.entries(forbiddenReasons)
      .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
      .join(' ')}`,
  )
  .register(components, { id: 'ForbiddenReason' })

const errors = z.array(fieldError).min(1).max(20).describe('The error of each invalid field.')

const instance = matching(/^urn:uuid:[0-9a-f-]{36}$/, 45)
  .meta({ format: 'uri' })
  .describe('The id of the request, also found in the log.')

function problemSchema(code: ErrorCode) {
  const { type, title, status } = exampleOf(code)
  return z
    .object({
      type: z.literal(type).describe('Identifies the kind of problem.'),
      title: z.literal(title).describe('A summary of the kind of problem.'),
      status: int32.min(status).max(status).meta({ const: status }).describe('The HTTP status.'),
      detail: sentence.describe('An explanation of this occurrence.'),
      ...(code === 'INTERNAL' && { instance }),
      code: z.literal(code).describe('The error code, the same as in GraphQL.'),
      ...(code === 'FORBIDDEN' && { reason }),
      ...(code === 'INSUFFICIENT_SCOPE' && { requiredScopes }),
      ...(code === 'VALIDATION_FAILED' && { errors }),
      ...(code === 'CONFLICT' && { errors: errors.optional() }),
    })
    .describe(errorCodes[code].meaning)
}

const problems = new Map(
  Object.keys(errorCodes)
    .filter(isErrorCode)
    .map((code) => [code, problemSchema(code)]),
)

function contentOf(codes: readonly ErrorCode[]): Json {
  const [first, ...others] = codes.map((code) => ref('schemas', schemaName(code)))
  const mapping = Object.fromEntries(codes.map((code) => [code, ref('schemas', schemaName(code)).$ref]))
  const schema =
    others.length === 0 ? first : { oneOf: [first, ...others], discriminator: { propertyName: 'code', mapping } }
  const examples = Object.fromEntries(
    codes.map((code) => [code, { summary: errorCodes[code].title, value: exampleOf(code) }]),
  )
  return { 'application/problem+json': { schema, examples } }
}

function headersOf(codes: readonly ErrorCode[]): Json {
  const isRepeated = (code: ErrorCode) => code === 'RATE_LIMITED' || 'retry-after' in new Refusal(code, '').headers
  return {
    ...commonHeaders,
    ...(codes.includes('UNAUTHENTICATED') && { 'WWW-Authenticate': headerRef('TokenChallenge') }),
    ...(codes.includes('INSUFFICIENT_SCOPE') && { 'WWW-Authenticate': headerRef('ScopeChallenge') }),
    ...(codes.includes('PRECONDITION_FAILED') && { ETag: headerRef('CurrentETag') }),
    ...(codes.includes('UNSUPPORTED_MEDIA_TYPE') && {
      'Accept-Patch': headerRef('Accept-Patch'),
      'Accept-Post': headerRef('Accept-Post'),
      'Accept-Encoding': headerRef('Accept-Encoding'),
    }),
    ...(codes.some(isRepeated) && {
      'Retry-After': codes.length > 1 ? { ...headers['Retry-After'], required: false } : headerRef('Retry-After'),
    }),
  }
}

/** The error responses of an operation, by status. */
export function problemResponses(operation: Documented): Json {
  return Object.fromEntries(
    [...codesOf(operation)].map(([status, codes]) => [String(status), ref('responses', responseName(codes))]),
  )
}

/** The components of the error responses of these operations. */
export function problemComponents(documented: readonly Documented[]): Json {
  const used = documented.flatMap((operation) => [...codesOf(operation).values()])
  for (const code of new Set(used.flat())) problems.get(code)?.register(components, { id: schemaName(code) })
  return Object.fromEntries(
    used.map((codes) => {
      const description = codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join(' ')
      return [responseName(codes), { description, headers: headersOf(codes), content: contentOf(codes) }]
    }),
  )
}
