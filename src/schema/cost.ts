import { type GraphQLSchema, getNamedType, isIntrospectionType, isLeafType, isObjectType } from 'graphql'
import { leafBytes, prices, typenameBytes } from '../reads/cost.ts'

/** The most bytes of a code point in UTF-8. */
const bytesOfCodePoint = 4

/** Options of a text field with at most this many code points. */
export function textOf(codePoints: number) {
  return { extensions: { bytes: codePoints * bytesOfCodePoint + 2 } }
}

/** Options of a text field with at most this many ASCII characters. */
export function asciiOf(characters: number) {
  return { extensions: { bytes: characters + 2 } }
}

/** Gives mutations their cost. Throws where a leaf has no greatest size. */
export function withCosts(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue
    if (type.name.length + 2 > typenameBytes) throw new TypeError(`The name of ${type.name} is too long`)
    for (const field of Object.values(type.getFields())) {
      if (type === schema.getMutationType()) field.extensions = { ...field.extensions, cost: { once: prices.mutation } }
      const leaf = getNamedType(field.type)
      if (isLeafType(leaf) && leafBytes(field, leaf) === undefined)
        throw new TypeError(`${type.name}.${field.name} has no greatest size in bytes`)
    }
  }
  return schema
}
