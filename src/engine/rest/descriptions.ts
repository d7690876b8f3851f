import { type GraphQLSchema, isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
import type { z } from 'zod'

/** A reference in a text to the description of a field of an object or an input of the schema, which printing the OpenAPI document replaces. */
export const descriptionOf = (typeName: string, fieldName: string): string => `⟦${typeName}.${fieldName}⟧`

/** A text with the descriptions, without scopes, in place of the references to them. Throws for a field that the schema does not describe. */
export function withDescriptions(text: string, schema: GraphQLSchema): string {
  return text.replace(/⟦(\w+)\.(\w+)⟧/g, (_, typeName: string, fieldName: string) => {
    const type = schema.getType(typeName)
    const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
    const field = hasFields ? type.getFields()[fieldName] : undefined
    const description = field?.extensions.descriptionWithoutScopes ?? field?.description
    if (typeof description !== 'string') throw new TypeError(`The schema describes no ${typeName}.${fieldName}`)
    return description
  })
}

/** A schema that is described like a field of GraphQL, with more if it differs, unless it has a description of its own. */
export function described(schema: z.ZodType, typeName: string, fieldName: string, more = ''): z.ZodType {
  return schema.description === undefined ? schema.describe(descriptionOf(typeName, fieldName) + more) : schema
}
