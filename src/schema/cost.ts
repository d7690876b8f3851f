import { type GraphQLSchema, getNamedType, isIntrospectionType, isLeafType, isObjectType } from 'graphql'
import { leafBytes, prices, typenameBytes } from '../reads/cost.ts'

/** The most bytes of UTF-8 that a code point takes. */
const bytesOfCodePoint = 4

/** Options of a leaf whose text has at most so many code points. */
export function textOf(codePoints: number) {
  return { extensions: { bytes: codePoints * bytesOfCodePoint + 2 } }
}

/** Options of a leaf whose text has at most so many characters, all of them ASCII. */
export function asciiOf(characters: number) {
  return { extensions: { bytes: characters + 2 } }
}

/** The schema whose mutations have a price. Throws where a leaf does not say how much it can answer. */
export function withCosts(schema: GraphQLSchema): GraphQLSchema {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue
    if (type.name.length + 2 > typenameBytes) throw new TypeError(`The name of ${type.name} is too long`)
    for (const field of Object.values(type.getFields())) {
      if (type === schema.getMutationType()) field.extensions = { ...field.extensions, cost: { once: prices.mutation } }
      const leaf = getNamedType(field.type)
      if (isLeafType(leaf) && leafBytes(field, leaf) === undefined)
        throw new TypeError(`${type.name}.${field.name} does not say how many bytes it has at most`)
    }
  }
  return schema
}
