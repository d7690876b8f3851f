import { insufficientScope } from '../../domain/access.ts'
import { type ErrorCode, errorCodes, invalid, Refusal } from '../../errors.ts'
import { scopes } from '../../scopes.ts'
import { commonErrors, isRepeatable, type Operation, repeatableErrors } from '../operation.ts'
import { problemDocument } from '../problem.ts'
import { listOf, oneOfWords, ref, type Schema } from '../schemas/json-schema.ts'
import { commonHeaders, headerRef, headers } from './headers.ts'

/** The meaning of each code in the responses of operations. */
const meanings: Readonly<Record<ErrorCode, string>> = {
  BAD_REQUEST:
    'The request is not valid HTTP, its query string is not percent-encoded UTF-8, or its body is not JSON in UTF-8.',
  UNAUTHENTICATED: 'The token is missing, unknown, expired or revoked.',
  INVALID_CREDENTIALS: 'The username or the password is wrong. Only in GraphQL.',
  INSUFFICIENT_SCOPE: 'The token lacks the required scopes.',
  ACCOUNT_SUSPENDED: 'The operator has suspended the account of the token.',
  DOCUMENT_NOT_TRUSTED: 'The operator has not stored the document. Only in GraphQL.',
  FORBIDDEN: 'The post, reply or list belongs to another user, or `from` is not the application of the token.',
  POST_LOCKED: 'The parent is locked: only its author may reply.',
  NOT_FOUND: 'The resource does not exist, was deleted, or is of another kind, or the path is malformed.',
  METHOD_NOT_ALLOWED: 'The path does not support the method.',
  REQUEST_TIMEOUT: 'The request did not arrive in time. The connection is closed.',
  CONFLICT:
    'The request conflicts with the current state, such as a limit that is reached. `errors` names a field whose value is taken.',
  IDEMPOTENCY_KEY_IN_USE:
    'A request with this `Idempotency-Key` is still in progress. Send it again after `Retry-After`.',
  PRECONDITION_FAILED: 'The post or reply was edited after the state that `If-Match` names.',
  PAYLOAD_TOO_LARGE: 'The body exceeds 64 KiB.',
  UNSUPPORTED_MEDIA_TYPE: 'The media type of the body is not `application/json`.',
  VALIDATION_FAILED: 'Some values are invalid. `errors` lists each field.',
  IDEMPOTENCY_KEY_REUSED: 'This `Idempotency-Key` was sent with another request before.',
  RATE_LIMITED: 'The budget of the account has too few points left. Try again after `Retry-After`.',
  HEADERS_TOO_LARGE: 'The headers of the request are too large. The connection is closed.',
  INTERNAL: 'An unexpected error, logged under the id in `instance`.',
  UNAVAILABLE:
    'The database is busy or unreachable, or the server is overloaded. Nothing was changed. Try again later.',
  OUTCOME_UNKNOWN:
    'The write may have been applied: the connection to the database broke, the response took too long, the server stopped the request to free memory, or the result could not be read. `detail` explains how to find out.',
  PERSISTED_QUERY_NOT_SUPPORTED: 'The request has the hash of a document instead of the document. Only in GraphQL.',
}

const allCodes = Object.keys(meanings).filter((code): code is ErrorCode => code in errorCodes)

const inPascal = (code: ErrorCode) =>
  code
    .toLowerCase()
    .split('_')
    .map((word) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`)
    .join('')

const schemaName = (code: ErrorCode) => `${inPascal(code)}Problem`

const exampleId = '5f0c7c1e-8f0a-4b57-9a34-1c2d3e4f5a6b'

function exampleOf(code: ErrorCode): Schema {
  const { title } = errorCodes[code]
  if (code === 'INSUFFICIENT_SCOPE') return problemDocument(insufficientScope([['user.get', 'user.follow']], undefined))
  if (code !== 'VALIDATION_FAILED')
    return problemDocument(new Refusal(code, `${title}.`, code === 'INTERNAL' ? { requestId: exampleId } : {}))
  return problemDocument(invalid({ field: 'content', message: 'must not be blank' }))
}

const requiredScopes: Schema = {
  ...listOf(
    {
      ...listOf(oneOfWords(scopes, 'A scope.'), scopes.length, 'Scopes that a token must have together.'),
      minItems: 1,
    },
    10,
    'Alternative sets of scopes, one of which the token must have.',
  ),
  minItems: 1,
}

const fieldErrors: Schema = {
  ...listOf(ref('schemas', 'FieldError'), 20, 'The error of each invalid field.'),
  minItems: 1,
}

function schemaOf(code: ErrorCode): Schema {
  const { type, title, status } = exampleOf(code)
  const properties = {
    type: { type: 'string', const: type, description: 'Identifies the kind of problem.' },
    title: { type: 'string', const: title, description: 'A summary of the kind of problem.' },
    status: {
      type: 'integer',
      format: 'int32',
      const: status,
      minimum: status,
      maximum: status,
      description: 'The HTTP status.',
    },
    detail: { type: 'string', pattern: '\\S', maxLength: 2000, description: 'An explanation of this occurrence.' },
    ...(code === 'INTERNAL' && {
      instance: {
        type: 'string',
        format: 'uri',
        pattern: '^urn:uuid:[0-9a-f-]{36}$',
        maxLength: 45,
        description: 'The id of the request, also found in the log.',
      },
    }),
    code: { type: 'string', const: code, description: 'The error code, the same as in GraphQL.' },
    ...(code === 'INSUFFICIENT_SCOPE' && { requiredScopes }),
    ...(code === 'VALIDATION_FAILED' && { errors: fieldErrors }),
  }
  const optional = code === 'CONFLICT' ? { errors: fieldErrors } : {}
  return {
    type: 'object',
    description: meanings[code],
    properties: { ...properties, ...optional },
    required: Object.keys(properties),
  }
}

const fieldError: Schema = {
  type: 'object',
  description: 'The error of one field.',
  properties: {
    field: { type: 'string', pattern: '^\\S+$', maxLength: 200, description: 'The name of the field, as it was sent.' },
    message: {
      type: 'string',
      pattern: '\\S',
      maxLength: 2000,
      description: 'The requirement that the value does not meet.',
    },
  },
  required: ['field', 'message'],
}

function contentOf(codes: readonly ErrorCode[]): Schema {
  const [first, ...others] = codes.map((code) => ref('schemas', schemaName(code)))
  const mapping = Object.fromEntries(codes.map((code) => [code, `#/components/schemas/${schemaName(code)}`]))
  const schema =
    others.length === 0 ? first : { oneOf: [first, ...others], discriminator: { propertyName: 'code', mapping } }
  const examples = Object.fromEntries(
    codes.map((code) => [code, { summary: errorCodes[code].title, value: exampleOf(code) }]),
  )
  return { 'application/problem+json': { schema, examples } }
}

function headersOf(codes: readonly ErrorCode[]): Schema {
  return {
    ...commonHeaders,
    ...(codes.includes('UNAUTHENTICATED') && { 'WWW-Authenticate': headerRef('TokenChallenge') }),
    ...(codes.includes('INSUFFICIENT_SCOPE') && { 'WWW-Authenticate': headerRef('ScopeChallenge') }),
    ...(codes.some((code) => code === 'RATE_LIMITED' || 'retry-after' in new Refusal(code, '').headers) && {
      'Retry-After': codes.length > 1 ? { ...headers['Retry-After'], required: false } : headerRef('Retry-After'),
    }),
  }
}

/** The error codes of an operation, by their statuses. */
function refusalsOf(operation: Operation): ReadonlyMap<number, readonly ErrorCode[]> {
  const refusals = new Map<number, ErrorCode[]>()
  const possible: ReadonlySet<ErrorCode> = new Set([
    ...commonErrors,
    ...operation.errors,
    ...(isRepeatable(operation) ? repeatableErrors : []),
  ])
  for (const code of allCodes.filter((it) => possible.has(it))) {
    const { status } = errorCodes[code]
    refusals.set(status, [...(refusals.get(status) ?? []), code])
  }
  return refusals
}

const responseName = (codes: readonly ErrorCode[]) => codes.map(inPascal).join('Or')

/** The error responses of an operation, by status. */
export function refusalResponses(operation: Operation): Schema {
  return Object.fromEntries(
    [...refusalsOf(operation)].map(([status, codes]) => [String(status), ref('responses', responseName(codes))]),
  )
}

/** The components of the error responses. */
export function problemComponents(operations: readonly Operation[]) {
  const sets = operations.flatMap((operation) => [...refusalsOf(operation).values()])
  const used = allCodes.filter((code) => sets.some((codes) => codes.includes(code)))
  const responses = sets.map((codes) => {
    const description = codes.map((code) => `\`${code}\`: ${meanings[code]}`).join(' ')
    return [responseName(codes), { description, headers: headersOf(codes), content: contentOf(codes) }] as const
  })
  return {
    schemas: { FieldError: fieldError, ...Object.fromEntries(used.map((code) => [schemaName(code), schemaOf(code)])) },
    responses: Object.fromEntries(responses),
  }
}
