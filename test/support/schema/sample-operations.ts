import {
  type GraphQLField,
  type GraphQLInputType,
  type GraphQLObjectType,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isLeafType,
  isListType,
  isNonNullType,
  isRequiredInputField,
} from 'graphql'

/** Texts of the scalars that are no `String`, in GraphQL. */
const scalars: Readonly<Record<string, string>> = {
  Boolean: 'true',
  Int: '1',
  DateTime: '"2026-07-27T10:00:00.000Z"',
  EmailAddress: '"ada@example.org"',
  LanguageTag: '"en"',
  UUID: '"019ab2c4-0000-7000-8000-000000000000"',
  URL: '"https://example.org/"',
}

/** A valid value of a type, in GraphQL. */
function sampleOf(type: GraphQLInputType): string {
  if (isNonNullType(type)) return sampleOf(type.ofType)
  if (isListType(type)) return `[${sampleOf(type.ofType)}]`
  if (isEnumType(type)) return type.getValues()[0]?.name ?? 'null'
  if (!isInputObjectType(type)) return scalars[type.name] ?? '"x"'
  const fields = Object.values(type.getFields())
  const sent = type.isOneOf ? fields.slice(0, 1) : fields.filter(isRequiredInputField)
  return `{ ${sent.map(({ name, type: of }) => `${name}: ${sampleOf(of)}`).join(', ')} }`
}

/** A valid use of a field with its required arguments, in GraphQL. */
function useOf({ name, args, type }: GraphQLField<unknown, unknown>): string {
  const sent = args.filter((it) => isNonNullType(it.type) && it.defaultValue === undefined)
  const list = sent.map((it) => `${it.name}: ${sampleOf(it.type)}`).join(', ')
  return `${name}${list && `(${list})`}${isLeafType(getNamedType(type)) ? '' : ' { __typename }'}`
}

/** A valid use of each field of a type, by its name. */
export const usesOf = (type: GraphQLObjectType): ReadonlyMap<string, string> =>
  new Map(Object.values(type.getFields()).map((field) => [field.name, useOf(field)]))
