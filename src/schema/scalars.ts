import { GraphQLError, GraphQLScalarType, Kind } from 'graphql'
import { GraphQLDateTime, GraphQLEmailAddress, GraphQLURL, GraphQLUUID } from 'graphql-scalars'

const form = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** Whether a text is a UUID in its usual form, in either case. */
export function isUuid(text: string): boolean {
  return form.test(text)
}

function parseUuid(value: unknown): string {
  if (typeof value !== 'string' || !isUuid(value)) throw new GraphQLError('Value is not a UUID')
  return value.toLowerCase()
}

/** UUIDs (RFC 9562), given back in lower case and accepted in either. */
export const uuidScalar = new GraphQLScalarType<string, string>({
  ...GraphQLUUID.toConfig(),
  description:
    'A UUID (RFC 9562) such as `019ab2c4-7d1e-7c3a-9f00-5b1c2d3e4f50`. It is given back in lower case, and accepted in either.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc9562#section-4',
  extensions: { bytes: 38 },
  serialize: (value) => String(value),
  parseValue: parseUuid,
  parseLiteral: (node) => parseUuid(node.kind === Kind.STRING ? node.value : undefined),
})

/** Moments. */
export const dateTimeScalar = new GraphQLScalarType({
  ...GraphQLDateTime.toConfig(),
  description: 'A moment in UTC, such as `2026-01-31T12:00:00.000Z` (RFC 3339).',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc3339#section-5.6',
  extensions: { bytes: 26 },
  serialize: (value) => (value instanceof Date ? value.toISOString() : String(value)),
})

/** Web addresses. */
export const urlScalar = new GraphQLScalarType({
  ...GraphQLURL.toConfig(),
  description: 'An absolute URL (RFC 3986).',
  serialize: String,
})

/** E-mail addresses. */
export const emailScalar = new GraphQLScalarType({
  ...GraphQLEmailAddress.toConfig(),
  description: 'An e-mail address, as the HTML standard has it: ASCII, without comments or quotes.',
  extensions: { bytes: 256 },
  serialize: String,
})
