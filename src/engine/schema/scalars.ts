import {
  GraphQLError,
  type GraphQLObjectType,
  GraphQLScalarType,
  type GraphQLSchema,
  isObjectType,
  Kind,
  type ValueNode,
} from 'graphql'
import { GraphQLDateTime, GraphQLURL, GraphQLUUID } from 'graphql-scalars'
import { invalid } from '../errors.ts'
import type { ScopesBySubject } from '../scopes.ts'
import type { TextForm } from '../text/text-form.ts'
import { isUuid, uuidForm } from '../text/uuids.ts'

function parseUuid(value: unknown, nodes?: ValueNode): string {
  if (typeof value !== 'string' || !isUuid(value)) throw new GraphQLError('Value is not a UUID', nodes && { nodes })
  return value.toLowerCase()
}

/** UUIDs (RFC 9562): lower case in responses, either case in input. */
export const uuidScalar = new GraphQLScalarType<string, string>({
  ...GraphQLUUID.toConfig(),
  description:
    'A UUID (RFC 9562) such as `019ab2c4-7d1e-7c3a-9f00-5b1c2d3e4f50`. Responses have it in lower case, and input may have either case.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562#section-4',
  extensions: { requirement: 'must be a UUID', form: uuidForm },
  serialize: (value) => String(value),
  parseValue: parseUuid,
  parseLiteral: (node) => parseUuid(node.kind === Kind.STRING ? node.value : undefined, node),
})

const { parseValue, parseLiteral, ...dateTime } = GraphQLDateTime.toConfig()

const earliestTime = Date.parse('0000-01-01T00:00:00.000Z')

/** The latest time that a `DateTime` can have, in milliseconds. */
export const latestTime = Date.parse('9999-12-31T23:59:59.999Z')

/** An offset can lead out of the years that RFC 3339 can write. */
function inRange(time: Date): Date {
  if (time.getTime() >= earliestTime && time.getTime() <= latestTime) return time
  throw new RangeError('Not a time of the years 0 to 9999 in UTC')
}

/** Points in time. */
export const dateTimeScalar = new GraphQLScalarType({
  ...dateTime,
  description: 'A point in time in UTC, of the years 0 to 9999, such as `2026-01-31T12:00:00.000Z` (RFC 3339).',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  extensions: {
    requirement: 'must be a time in RFC 3339 of the years 0 to 9999 in UTC, such as 2026-01-31T12:00:00Z',
  },
  parseValue: (value) => inRange(parseValue(value)),
  parseLiteral: (node) => inRange(parseLiteral(node)),
  serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
})

const urlForm: TextForm = { min: 0, max: 2_000, pattern: /^https?:\/\/\S+$/, format: 'uri', words: 'a URL' }

/** Web addresses. */
export const urlScalar = new GraphQLScalarType({
  ...GraphQLURL.toConfig(),
  description: 'An absolute URL (RFC 3986).',
  extensions: { requirement: 'must be an absolute URL', form: urlForm },
  serialize: String,
})

declare module 'graphql' {
  interface GraphQLObjectTypeExtensions<_TSource, _TContext> {
    /** What a token must permit to find an object of this type by its global id. A type without it has no global ids. */
    nodePermission?: ScopesBySubject
  }
}

/** A type of the schema and the UUID of one of its objects. */
export type GlobalId = { readonly type: GraphQLObjectType; readonly uuid: string }

const decodedForm = /^([A-Za-z]+):(.*)$/

/** The opaque global id of an object (GraphQL Global Object Identification). */
export function encodeGlobalId(type: string, uuid: string): string {
  return Buffer.from(`${type}:${uuid}`).toString('base64')
}

/** Decodes a global id. Throws `VALIDATION_FAILED`, naming `field`, for anything that `encodeGlobalId` never returned. */
export function decodeGlobalId(id: string, field: string, schema: GraphQLSchema): GlobalId {
  const [, name = '', uuid = ''] = decodedForm.exec(Buffer.from(id, 'base64').toString('latin1')) ?? []
  const type = schema.getType(name)
  const isKnown = isObjectType(type) && type.extensions.nodePermission && isUuid(uuid)
  if (!isKnown || encodeGlobalId(name, uuid) !== id) throw invalid({ field, message: 'is not a global id' })
  return { type, uuid }
}

/** The UUID in the `id` of an input. Throws `VALIDATION_FAILED` unless it is of an object of this type. */
export function uuidIn({ id }: { readonly id: string | number }, typeName: string, schema: GraphQLSchema): string {
  const { type, uuid } = decodeGlobalId(String(id), 'id', schema)
  if (type.name !== typeName) throw invalid({ field: 'id', message: `must be the id of an ${typeName}` })
  return uuid
}
