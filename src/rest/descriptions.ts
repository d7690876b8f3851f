import { isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
import type { z } from 'zod'
import { schema } from '../schema/schema.ts'

/** What the schema says of a field of an object or an input, without its scopes. */
export function descriptionOf(typeName: string, fieldName: string): string {
  const type = schema.getType(typeName)
  const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
  const field = hasFields ? type.getFields()[fieldName] : undefined
  const description = field?.extensions.descriptionWithoutScopes ?? field?.description
  if (typeof description !== 'string') throw new TypeError(`The schema describes no ${typeName}.${fieldName}`)
  return description
}

/** A schema that is described like a field of GraphQL, with more if it differs, unless it has a description of its own. */
export function described(schema: z.ZodType, typeName: string, fieldName: string, more = ''): z.ZodType {
  return schema.description === undefined ? schema.describe(descriptionOf(typeName, fieldName) + more) : schema
}
