import { insufficientScope } from '../../auth/viewers.ts'
import {
  type ErrorCode,
  errorCodes,
  forbidden,
  forbiddenReasons,
  invalid,
  isErrorCode,
  Refusal,
  SuspendedAccount,
} from '../../errors.ts'
import { problemDocument } from '../../http/problem.ts'
import type { Documented } from '../operation.ts'
import { commonHeaders, headerRef, headers } from './headers.ts'
import { Component, constant, int32, type Json, matching, objectOf, ref, unixSeconds } from './json.ts'

/** The error codes that an operation can return, by their statuses. */
function codesOf(operation: Documented): ReadonlyMap<number, readonly ErrorCode[]> {
  const { method, path, body, query, list, hasFullView, needsToken = true, handlesSecrets, errors = [] } = operation
  const possible: ErrorCode[] = ['BAD_REQUEST', 'PRECONDITION_FAILED', ...errors]
  if (needsToken) possible.push('UNAUTHENTICATED', 'INSUFFICIENT_SCOPE', 'ACCOUNT_SUSPENDED')
  possible.push('REQUEST_TIMEOUT', 'RATE_LIMITED', 'HEADERS_TOO_LARGE', 'INTERNAL', 'UNAVAILABLE')
  if (path.includes('{')) possible.push('NOT_FOUND')
  if (body) possible.push('PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE')
  if (body || query || list || hasFullView) possible.push('VALIDATION_FAILED')
  if (method !== 'GET') possible.push('OUTCOME_UNKNOWN')
  if (method !== 'GET' && !handlesSecrets) possible.push('IDEMPOTENCY_KEY_IN_USE', 'IDEMPOTENCY_KEY_REUSED')
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

const sampleSuspension = {
  since: new Date('2026-07-27T10:00:00.000Z'),
  reason: 'Advertising.',
  contact: 'moderation@social.example',
}

function exampleOf(code: ErrorCode) {
  if (code === 'INSUFFICIENT_SCOPE') return problemDocument(insufficientScope([['user.get', 'user.follow']], undefined))
  const { title } = errorCodes[code]
  if (code === 'FORBIDDEN') return problemDocument(forbidden('BLOCKED', `${title}.`))
  if (code === 'ACCOUNT_SUSPENDED') return problemDocument(new SuspendedAccount(sampleSuspension))
  const isInvalid = code === 'VALIDATION_FAILED'
  const refusal = isInvalid
    ? invalid({ field: 'content', message: 'must not be blank' })
    : new Refusal(code, `${title}.`, code === 'INTERNAL' ? { requestId: exampleId } : {})
  return problemDocument(refusal)
}

const sentence = matching(/\S/, 2000)

const listOf = (items: unknown, description: string, maxItems: number): Json => ({
  type: 'array',
  items,
  minItems: 1,
  maxItems,
  description,
})

const fieldError = new Component(
  'FieldError',
  objectOf(
    {
      field: { ...matching(/^\S+$/, 200), description: 'The name of the field, as it was sent.' },
      message: { ...sentence, description: 'The requirement that the value does not meet.' },
    },
    'The error of one field.',
  ),
)

const reason = new Component('ForbiddenReason', {
  type: 'string',
  enum: Object.keys(forbiddenReasons),
  description: `Why: ${Object.entries(forbiddenReasons)
    .map(([name, meaning]) => `\`${name}\`: ${meaning}`)
    .join(' ')}`,
})

const errors = listOf(fieldError, 'The error of each invalid field.', 20)

const challenge = {
  ...matching(/^\S+$/, 100),
  description: 'What the sign-in continues with. It is missing where a change needs a code.',
}

const instance = {
  ...matching(/^urn:uuid:[0-9a-f-]{36}$/, 45),
  format: 'uri',
  description: 'The id of the request, also found in the log.',
}

const suspension = {
  since: { ...unixSeconds, description: 'When the account was suspended. In Unix seconds.' },
  reason: { ...sentence, type: ['string', 'null'], description: 'The reason that was given; null if none was.' },
  contact: {
    ...matching(/^\S+$/, 600),
    type: ['string', 'null'],
    description: 'The e-mail address or the URL to write to; null if this server names none.',
  },
}

/** What is reached, where it is no budget. */
const reachedLimit = {
  limit: { ...matching(/^[a-z]+$/, 20, 1), description: 'The limit of the account that is reached, if it is one.' },
  resets_at: { ...unixSeconds, description: 'When its count begins again. In Unix seconds.' },
}

function problemSchema(code: ErrorCode, scope: Component): Component {
  const { type, title, status } = exampleOf(code)
  const sets = listOf(scope, 'Scopes that a token must have together.', 100)
  const properties = {
    type: { ...constant(type), description: 'Identifies the kind of problem.' },
    title: { ...constant(title), description: 'A summary of the kind of problem.' },
    status: { ...int32(status, status), const: status, description: 'The HTTP status.' },
    detail: { ...sentence, description: 'An explanation of this occurrence.' },
    ...(code === 'INTERNAL' && { instance }),
    code: { ...constant(code), description: 'The error code, the same as in GraphQL.' },
    ...(code === 'FORBIDDEN' && { reason }),
    ...(code === 'RATE_LIMITED' && reachedLimit),
    ...(code === 'INSUFFICIENT_SCOPE' && {
      requiredScopes: listOf(sets, 'Alternative sets of scopes, one of which the token must have.', 10),
    }),
    ...(code === 'ACCOUNT_SUSPENDED' && suspension),
    ...(code === 'SECOND_FACTOR_REQUIRED' && { challenge }),
    ...((code === 'VALIDATION_FAILED' || code === 'CONFLICT') && { errors }),
  }
  const optional = ['challenge', ...Object.keys(reachedLimit), ...(code === 'CONFLICT' ? ['errors'] : [])]
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return new Component(schemaName(code), objectOf(properties, errorCodes[code].meaning, required))
}

function contentOf(codes: readonly ErrorCode[], scope: Component): Json {
  const [first, ...others] = codes.map((code) => problemSchema(code, scope))
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

/** The components of the error responses of these operations, in an interface with these scopes. */
export function problemComponents(documented: readonly Documented[], scopes: readonly string[]): Json {
  const used = documented.flatMap((operation) => [...codesOf(operation).values()])
  const scope = new Component('Scope', { type: 'string', enum: scopes, description: 'A scope.' })
  return Object.fromEntries(
    used.map((codes) => {
      const description = codes.map((code) => `\`${code}\`: ${errorCodes[code].meaning}`).join(' ')
      return [responseName(codes), { description, headers: headersOf(codes), content: contentOf(codes, scope) }]
    }),
  )
}
