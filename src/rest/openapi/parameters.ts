import { hoursKept } from '../../domain/idempotency.ts'
import { idempotencyHeader, longestKey } from '../../http/idempotency-key.ts'
import { maxLookups } from '../../reads/lookup-list.ts'
import { isRepeatable, type Operation } from '../operation.ts'
import { largestLimit, lastPage } from '../pages.ts'
import { hasPageInPath, usernameFormat, uuidFormat } from '../paths.ts'
import { ref, type Schema } from '../schemas/json-schema.ts'
import { samplePost } from '../schemas/samples.ts'
import { uuid } from './request-body.ts'

const sourceOf = (format: RegExp) => format.source.replace(/^\^|\$$/g, '')

const user: Schema = {
  type: 'string',
  pattern: `^(?:${sourceOf(usernameFormat)}|${sourceOf(uuidFormat)})$`,
  minLength: 2,
  maxLength: 36,
}

const wholeNumber = (maximum: number, byDefault?: number): Schema => ({
  type: 'integer',
  format: 'int32',
  minimum: 1,
  maximum,
  ...(byDefault !== undefined && { default: byDefault }),
})

const page = 'The page number, from 1. Other values are refused with 422.'

const pathParameter = (name: string, schema: Schema, description: string, example: unknown): Schema => ({
  name,
  in: 'path',
  required: true,
  description,
  schema,
  example,
})

/** The path parameters, by name. */
const pathParameters: Readonly<Record<string, Schema>> = {
  uuid: pathParameter('uuid', uuid, 'The uuid of the post or reply. A malformed value gets 404.', samplePost.uuid),
  user: pathParameter('user', user, 'The user, as a uuid or `@username`. A malformed value gets 404.', '@wren'),
  page: pathParameter('page', wholeNumber(lastPage(1)), page, 1),
}

const entityTags: Schema = { type: 'string', pattern: '^(?:\\*|[ -~]*"[ -~]*)$', maxLength: 4_000 }

/** The parameters that several operations share. */
export const parameterComponents: Readonly<Record<string, Schema>> = {
  ...pathParameters,
  idempotencyKey: {
    name: idempotencyHeader,
    in: 'header',
    description: `A key of the client for this write, 1 to ${longestKey} visible ASCII characters, with or without quotes. The same request with the same key is done once: for ${hoursKept} hours, its response is repeated (IETF draft-ietf-httpapi-idempotency-key-header).`,
    schema: { type: 'string', minLength: 1, maxLength: longestKey + 2, pattern: '^[!-~]+$' },
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Refuses the request with 412 if the post or reply was edited after the response that had one of these entity tags; `*` matches any state. Only edits count: replies and likes do not.',
    schema: entityTags,
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Requests a response only if it has none of these entity tags; `*` matches any.',
    schema: entityTags,
  },
  pageOfList: { name: 'page', in: 'query', description: page, schema: wholeNumber(lastPage(1), 1), example: 1 },
}

/** The parameters of an operation. */
export function parametersOf(operation: Operation): Schema[] {
  const { pages, tagged, ifMatch, method } = operation
  const inPath = [...operation.path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => {
    if (pathParameters[name] === undefined) throw new Error(`${operation.path}: {${name}} is not described`)
    return ref('parameters', name)
  })
  const conditions = [
    ...(ifMatch ? [ref('parameters', 'ifMatch')] : []),
    ...(tagged && method === 'GET' ? [ref('parameters', 'ifNoneMatch')] : []),
  ]
  if (operation.uuids) {
    const { description, example } = operation.uuids
    const schema = { type: 'array', items: uuid, minItems: 1, maxItems: maxLookups }
    return [...inPath, { name: 'uuid', in: 'query', required: true, description, schema, example }]
  }
  if (isRepeatable(operation)) return [...inPath, ...conditions, ref('parameters', 'idempotencyKey')]
  if (!pages) return [...inPath, ...conditions]
  const limit = {
    name: 'limit',
    in: 'query',
    description: 'The maximum number of items on the page.',
    schema: wholeNumber(largestLimit, pages.size),
    example: pages.size,
  }
  return [...inPath, ...conditions, ...(hasPageInPath(operation) ? [] : [ref('parameters', 'pageOfList')]), limit]
}
