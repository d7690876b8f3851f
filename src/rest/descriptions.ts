import { isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
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
