import { type ErrorCode, errorCodes, invalid, Refusal } from '../../errors.ts'
import { problemDocument } from '../problem.ts'
import type { Route } from '../route.ts'
import { commonHeaders, headerRef, headers } from './headers.ts'
import { listOf, ref, type Schema } from './json-schema.ts'

const always = () => true
const never = () => false
const hasBody = ({ body }: Route) => body !== undefined
const namesParent = ({ body }: Route) => body?.includes('parent') === true

/** Which operations refuse with a code, and what it means there. A new code has to find its place here. */
const meanings: Readonly<Record<ErrorCode, { readonly when: (route: Route) => boolean; readonly meaning: string }>> = {
  BAD_REQUEST: {
    when: always,
    meaning: 'The request is not HTTP, its query string is not percent-encoded, or its body is not JSON in UTF-8.',
  },
  UNAUTHENTICATED: { when: always, meaning: 'There is no token, or it is unknown, expired or revoked.' },
  INSUFFICIENT_SCOPE: { when: always, meaning: 'The token lacks scopes.' },
  FORBIDDEN: {
    when: ({ method, body }) => method === 'PATCH' || method === 'DELETE' || body?.includes('from') === true,
    meaning: "It is another's: the post or reply, or the application in `from`.",
  },
  POST_LOCKED: { when: namesParent, meaning: 'Only the author of the parent may reply to it.' },
  NOT_FOUND: {
    when: (route) => route.path.includes('{') || namesParent(route),
    meaning: 'There is none: it never was, it was deleted, it is of another kind, or the path is malformed.',
  },
  METHOD_NOT_ALLOWED: { when: never, meaning: 'The path has no such method.' },
  CONFLICT: { when: ({ id }) => id === 'toggleFollow', meaning: 'It is taken, or there are too many.' },
  PAYLOAD_TOO_LARGE: { when: hasBody, meaning: 'The body has more than 256 KiB.' },
  UNSUPPORTED_MEDIA_TYPE: { when: hasBody, meaning: 'The body was not sent as `application/json`.' },
  VALIDATION_FAILED: {
    when: ({ body, pages, id }) => body !== undefined || pages !== undefined || id === 'toggleFollow',
    meaning: 'What was sent is out of its bounds; `errors` names each field.',
  },
  INTERNAL: { when: always, meaning: 'Something unforeseen; it is logged under the id that `instance` has.' },
  UNAVAILABLE: {
    when: always,
    meaning: 'The database is busy or away, or the server cannot keep up. Nothing was done: try again later.',
  },
  OUTCOME_UNKNOWN: {
    when: ({ method }) => method !== 'GET',
    meaning:
      'The write may have been done: the connection to the database broke, the answer took too long, or the result could not be read. `detail` says how to find out.',
  },
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
  const refusal =
    code === 'VALIDATION_FAILED'
      ? invalid({ field: 'content', message: 'must not be blank' })
      : new Refusal(code, `${title}.`)
  return problemDocument(refusal, exampleId)
}

function schemaOf(code: ErrorCode): Schema {
  const { type, title, status } = exampleOf(code)
  const properties = {
    type: { type: 'string', const: type, description: 'Names the kind of problem.' },
    title: { type: 'string', const: title, description: 'The kind of problem in words.' },
    status: {
      type: 'integer',
      format: 'int32',
      const: status,
      minimum: status,
      maximum: status,
      description: 'The HTTP status.',
    },
    detail: { type: 'string', pattern: '\\S', maxLength: 2000, description: 'What is wrong this time.' },
    ...(code === 'INTERNAL' && {
      instance: {
        type: 'string',
        format: 'uri',
        pattern: '^urn:uuid:[0-9a-f-]{36}$',
        maxLength: 45,
        description: 'The id of the request, as the log has it.',
      },
    }),
    code: { type: 'string', const: code, description: 'The code, which GraphQL has too.' },
    ...(code === 'VALIDATION_FAILED' && {
      errors: { ...listOf(ref('schemas', 'FieldError'), 20, 'What is wrong with each field.'), minItems: 1 },
    }),
  }
  return { type: 'object', description: meanings[code].meaning, properties, required: Object.keys(properties) }
}

const fieldError: Schema = {
  type: 'object',
  description: 'What is wrong with one field.',
  properties: {
    field: { type: 'string', pattern: '^\\S+$', maxLength: 200, description: 'Its name, as it was sent.' },
    message: { type: 'string', pattern: '\\S', maxLength: 2000, description: 'What it has to be.' },
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
    ...(codes.includes('INSUFFICIENT_SCOPE') && {
      'WWW-Authenticate':
        codes.length > 1 ? { ...headers.ScopeChallenge, required: false } : headerRef('ScopeChallenge'),
    }),
    ...(codes.includes('UNAVAILABLE') && {
      'Retry-After': codes.length > 1 ? { ...headers['Retry-After'], required: false } : headerRef('Retry-After'),
    }),
  }
}

/** The codes of an operation, by their statuses. */
function refusalsOf(route: Route): ReadonlyMap<number, readonly ErrorCode[]> {
  const refusals = new Map<number, ErrorCode[]>()
  for (const code of allCodes.filter((it) => meanings[it].when(route))) {
    const { status } = errorCodes[code]
    refusals.set(status, [...(refusals.get(status) ?? []), code])
  }
  return refusals
}

const responseName = (codes: readonly ErrorCode[]) => codes.map(inPascal).join('Or')

/** The refusals of an operation, by status. */
export function refusalResponses(route: Route): Schema {
  return Object.fromEntries(
    [...refusalsOf(route)].map(([status, codes]) => [String(status), ref('responses', responseName(codes))]),
  )
}

/** The components that the refusals of the operations need. */
export function problemComponents(routes: readonly Route[]) {
  const sets = routes.flatMap((route) => [...refusalsOf(route).values()])
  const used = allCodes.filter((code) => sets.some((codes) => codes.includes(code)))
  const responses = sets.map((codes) => {
    const description = codes.map((code) => `\`${code}\`: ${meanings[code].meaning}`).join(' ')
    return [responseName(codes), { description, headers: headersOf(codes), content: contentOf(codes) }] as const
  })
  return {
    schemas: { FieldError: fieldError, ...Object.fromEntries(used.map((code) => [schemaName(code), schemaOf(code)])) },
    responses: Object.fromEntries(responses),
  }
}
