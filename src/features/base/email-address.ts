import { domainToASCII } from 'node:url'
import { isEmailValid } from '@hapi/address'
import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql'
import type { FieldError } from '../../engine/errors.ts'
import type { TextForm } from '../../engine/text/text-form.ts'

/** What a domain may consist of before IDNA. The parser of Node.js would take a path, a port or an escape after it. */
const domainForm = /^(?:[\w.-]|[^\p{ASCII}])+$/u

/** A local part beyond ASCII has letters, marks and digits that show: no symbols, blanks or controls that turn it into a sentence. */
const localForm = /^(?:\p{ASCII}|(?!\p{Default_Ignorable_Code_Point})[\p{L}\p{M}\p{N}])+$/u

/** The longest address, in bytes (RFC 5321, section 4.5.3.1.3). */
const longest = 254

/**
 * The one form of an e-mail address in which it is stored, compared and shown: in lower case and NFC, its domain in A-labels (RFC 5890).
 * Undefined if it is no address (RFC 5321, RFC 6531), has comments or quotes, or an IP address.
 */
export function canonicalAddress(text: string): string | undefined {
  if (text.length > longest) return undefined
  const at = text.lastIndexOf('@')
  const local = text.slice(0, Math.max(at, 0)).normalize().toLowerCase().normalize()
  const domain = text.slice(at + 1)
  if (!domainForm.test(domain) || !localForm.test(local)) return undefined
  const address = `${local}@${domainToASCII(domain)}`
  const isValid = isEmailValid(address, { minDomainSegments: 1 }) && Buffer.byteLength(address) <= longest
  return isValid ? address : undefined
}

/** The domain of an address. */
export const domainOf = (address: string): string => address.slice(address.lastIndexOf('@') + 1)

/** The error of a text that is no e-mail address. */
export const addressError: FieldError = { field: 'email', message: 'must be an e-mail address' }

function parseEmail(value: unknown, nodes?: ValueNode): string {
  const address = typeof value === 'string' ? canonicalAddress(value) : undefined
  if (address === undefined) throw new GraphQLError('Value is not an e-mail address', nodes && { nodes })
  return address
}

const form: TextForm = { min: 3, max: longest, pattern: /^[^\s@]+@[^\s@]+$/, words: 'an e-mail address' }

/** E-mail addresses: canonical in responses, in any form in input. */
export const emailScalar = new GraphQLScalarType({
  name: 'EmailAddress',
  description:
    'An e-mail address (RFC 5321, RFC 6531) without comments or quotes. Responses have it in lower case ' +
    'and NFC, with the domain in A-labels (RFC 5890); input may have any form.',
  specifiedByURL: 'https://www.rfc-editor.org/rfc/rfc6531',
  extensions: { requirement: addressError.message, form },
  serialize: String,
  parseValue: parseEmail,
  parseLiteral: (node) => parseEmail(node.kind === Kind.STRING ? node.value : undefined, node),
})
