import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { GraphQLDateTime, GraphQLURL, GraphQLUUID } from 'graphql-scalars'

const form = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text is a UUID in its usual form, in lower or upper case. */
export function isUuid(text: string): boolean {
  return form.test(text)
}

function parseUuid(value: unknown, nodes?: ValueNode): string {
  if (typeof value !== 'string' || !form.test(value)) throw new GraphQLError('Value is not a UUID', nodes && { nodes })
  return value.toLowerCase()
}

/** UUIDs (RFC 9562): lower case in responses, either case in input. */
export const uuidScalar = new GraphQLScalarType<string, string>({
  ...GraphQLUUID.toConfig(),
  description:
    'A UUID (RFC 9562) such as `019ab2c4-7d1e-7c3a-9f00-5b1c2d3e4f50`. Responses have it in lower case, and input may have either case.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562#section-4',
  extensions: { requirement: 'must be a UUID' },
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

/** Web addresses. */
export const urlScalar = new GraphQLScalarType({
  ...GraphQLURL.toConfig(),
  description: 'An absolute URL (RFC 3986).',
  extensions: { requirement: 'must be an absolute URL' },
  serialize: String,
})
