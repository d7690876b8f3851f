import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import { canonicalAddress } from './email-address.ts'

function parseEmail(value: unknown, nodes?: ValueNode): string {
  const address = typeof value === 'string' ? canonicalAddress(value) : undefined
  if (address === undefined) throw new GraphQLError('Value is not an e-mail address', nodes && { nodes })
  return address
}

/** E-mail addresses: canonical in responses, in any form in input. */
export const emailScalar = new GraphQLScalarType({
  name: 'EmailAddress',
  description:
    'An e-mail address (RFC 5321), also beyond ASCII (RFC 6531), without comments or quotes. Responses have it in lower case and NFC, its domain in A-labels (RFC 5890), and input may have any form.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc6531',
  extensions: { requirement: 'must be an e-mail address' },
  serialize: String,
  parseValue: parseEmail,
  parseLiteral: (node) => parseEmail(node.kind === Kind.STRING ? node.value : undefined, node),
})
