import { isNonNullType } from 'graphql'
import { pageSize } from '../../compiler/limits.ts'
import { cursorFormat, cursorLength } from '../../compiler/page-range.ts'
import { hoursKept } from '../../execution/idempotency.ts'
import { idempotencyHeader, longestIdempotencyKey } from '../../http/idempotency-key.ts'
import { afterHeader, positionFormat, positionHeader } from '../../http/position.ts'
import { entityTagList } from '../../http/static-text.ts'
import { conditionalRead, type Documented, type RestInterface } from '../operation.ts'
import { lastPage } from '../pages.ts'
import { longestPoll } from '../run.ts'
import type { DeclaredVariables, Variable } from '../variables.ts'
import { headers } from './headers.ts'
import { int32, type Json, matching, ref, typeSchema } from './json.ts'

const cursor = matching(cursorFormat, cursorLength, cursorLength)

const number = int32(1, lastPage(1))

const page = {
  name: 'page',
  description:
    'The page number, from 1; pages past the end are empty, and other values are refused with 422. What ' +
    'is added to or removed from the list moves its pages.',
  example: 1,
}

/** The component of a parameter of paths. Without the end, some would be named like schemas for generators that ignore case. */
const inPath = (name: string) => `${name}InPath`

const pathParameter = (name: string, schema: Json, description: string, example: unknown) => ({
  [inPath(name)]: { name, in: 'path', required: true, description, schema, example },
})

const entityTags = matching(entityTagList, 4_000)

/** Tools send the examples as they are, those of optional headers too, so each of them has to work. */
const otherTag = headers.ETag.example

/** The parameters that several operations share, besides those of paths. */
const shared: Json = {
  ...pathParameter(page.name, number, page.description, page.example),
  pageOfList: { ...page, in: 'query', schema: { ...number, default: 1 } },
  view: {
    name: 'view',
    in: 'query',
    description:
      'Asks for the full view of each object, which adds what only GraphQL has otherwise. Other values are refused with 422.',
    schema: { type: 'string', enum: ['full'] },
    example: 'full',
  },
  after: {
    name: afterHeader,
    in: 'header',
    description:
      `The \`${positionHeader}\` of the response to a write, which the response to this request then ` +
      'reflects. A malformed value gets 400.',
    schema: matching(positionFormat, 16, 16),
    example: headers[positionHeader].example,
  },
  ifMatch: {
    name: 'If-Match',
    in: 'header',
    description:
      'Refuses the request with 412 if the post, reply or user was edited after the response that had one ' +
      'of these entity tags; `*` matches any state. Only edits count: replies, likes and followers do not.',
    schema: entityTags,
    example: '*',
  },
  ifUnmodifiedSince: {
    name: 'If-Unmodified-Since',
    in: 'header',
    description: 'Without `If-Match`, refuses the request with 412 if the resource was edited after this second.',
    schema: matching(/^[A-Z][a-z]{2}, [0-9]{2} [A-Z][a-z]{2} [0-9]{4} [0-9]{2}:[0-9]{2}:[0-9]{2} GMT$/, 29),
    example: 'Fri, 31 Dec 2999 12:00:00 GMT',
  },
  ifNoneMatch: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Requests a response only if it has none of these entity tags; `*` matches any.',
    schema: entityTags,
    example: otherTag,
  },
  noneMatchOfWrite: {
    name: 'If-None-Match',
    in: 'header',
    description: 'Refuses the request with 412 if reading this path has one of these entity tags; `*` matches any.',
    schema: entityTags,
    example: otherTag,
  },
}

/** The parameters that several operations share. */
export const sharedParameters = ({ parameters }: RestInterface): Json => ({
  ...Object.assign(
    {},
    ...Object.entries(parameters).map(([name, { schema, description, example }]) =>
      pathParameter(name, schema, description, example),
    ),
  ),
  ...shared,
})

const cursorOfFeed = {
  name: 'after',
  in: 'query',
  description:
    'The cursor of the `Link` of an earlier response. By default now: the page is empty. Another value ' +
    'is refused with 422, and one that is too old with 410.',
  schema: cursor,
  example: 'AAAAAAdQAAAAAAAqZ4kEOQ',
}

const afterInList = {
  name: 'after',
  in: 'query',
  description:
    'A cursor, after which the page begins: that of a `next` link. Another value is refused with 422, as is one beside `page`.',
  schema: cursor,
  example: 'AZqyxMJje4-OVaBhcoOUBQ',
}

const prefer = {
  name: 'Prefer',
  in: 'header',
  description:
    'With `after` and `wait=25`, an empty page is only returned after so many seconds, at most ' +
    `${longestPoll}, and a page with changes as soon as there are some (RFC 7240).`,
  schema: matching(/^wait=[0-9]+$/, 14, 6),
  example: 'wait=5',
}

/** A key of its own for each operation, because the same key cannot name two requests. */
const idempotencyKey = ({ id }: Documented): Json => ({
  name: idempotencyHeader,
  in: 'header',
  description:
    `A key of the client for this write, 1 to ${longestIdempotencyKey} visible ASCII characters, with or ` +
    `without quotes. The same request with the same key is done once: for ${hoursKept} hours, its ` +
    'response is repeated (IETF draft-ietf-httpapi-idempotency-key-header).',
  schema: matching(/^[!-~]+$/, longestIdempotencyKey + 2, 1),
  example: `${id}-1`,
})

/** A parameter of the query. What its variable does not say, its declaration does. */
function queryParameter(name: string, parameter: NonNullable<Documented['query']>[string], variable?: Variable): Json {
  const { description = variable?.use.description, schema: own, example } = parameter
  const required = variable !== undefined && isNonNullType(variable.type) && variable.initial === undefined
  const followed = variable && typeSchema(variable.type, { form: variable.use.extensions.form, isSent: true })
  const value = variable?.initial
  const initial = value === undefined ? {} : { default: typeof value === 'string' ? value.toLowerCase() : value }
  const schema = own?.type ? own : { ...Object(followed), ...initial, ...own }
  const shown = Object(schema).type === 'boolean' ? example === 'true' : example
  return { name, in: 'query', description, required, schema, example: shown }
}

/** The parameters of an operation. */
export function parametersOf(rest: RestInterface, operation: Documented, declared: DeclaredVariables): Json[] {
  const { path, query = {}, list, tagged, method, hasFullView, handlesSecrets } = operation
  const { by, size = pageSize.default } = list ?? {}
  const names = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => inPath(name))
  if (conditionalRead(rest, operation)) names.push('ifMatch', 'ifUnmodifiedSince', 'noneMatchOfWrite')
  if (tagged && method === 'GET') names.push('ifNoneMatch')
  if (method === 'GET') names.push('after')
  if (hasFullView) names.push('view')
  const isNumberedInQuery = by === 'number' && !path.includes('{page}')
  if (isNumberedInQuery) names.push('pageOfList')
  const limit = {
    name: 'limit',
    in: 'query',
    description: 'The maximum number of items on the page.',
    schema: { ...int32(1, pageSize.max), default: size },
    example: size,
  }
  return [
    ...names.map((name) => ref('parameters', name)),
    ...(method === 'GET' || handlesSecrets ? [] : [idempotencyKey(operation)]),
    ...Object.entries(query).map(([name, parameter]) => queryParameter(name, parameter, declared.get(name))),
    ...(by === 'feed' ? [cursorOfFeed, prefer] : []),
    ...(by === 'cursor' || isNumberedInQuery ? [afterInList] : []),
    ...(list ? [limit] : []),
  ]
}
