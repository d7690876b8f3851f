import { type GraphQLSchema, isInputObjectType, isInterfaceType, isObjectType } from 'graphql'
import { Component, Derived, ref } from './json.ts'

/** A reference in a text to the description of a field of an object or an input, which resolving an OpenAPI document replaces. */
export const descriptionOf = (typeName: string, fieldName: string): string => `⟦${typeName}.${fieldName}⟧`

/** A text with the descriptions, without scopes, in place of the references to them. */
function withDescriptions(text: string, schema: GraphQLSchema): string {
  return text.replace(/⟦(\w+)\.(\w+)⟧/g, (_, typeName: string, fieldName: string) => {
    const type = schema.getType(typeName)
    const hasFields = isObjectType(type) || isInterfaceType(type) || isInputObjectType(type)
    const field = hasFields ? type.getFields()[fieldName] : undefined
    const description = field?.extensions.descriptionWithoutScopes ?? field?.description
    if (typeof description !== 'string') throw new TypeError(`The schema describes no ${typeName}.${fieldName}`)
    return description
  })
}

/** Resolves the parts of an OpenAPI document that follow from the schema of GraphQL, and collects the components that they refer to. */
export function resolver(graphql: GraphQLSchema) {
  const found = new Map<string, unknown>()
  const resolve = (value: unknown): unknown => {
    if (value instanceof Component) {
      if (!found.has(value.id)) {
        found.set(value.id, undefined)
        found.set(value.id, resolve(value.schema))
      }
      return ref('schemas', value.id)
    }
    if (value instanceof Derived) return resolve(value.from(graphql))
    if (typeof value === 'string') return withDescriptions(value, graphql)
    if (Array.isArray(value)) return value.map(resolve)
    if (typeof value !== 'object' || value === null) return value
    return Object.fromEntries(Object.entries(value).map(([key, part]) => [key, resolve(part)]))
  }
  /** The components so far, in the order of their names, because modules load in any order. */
  const components = () => Object.fromEntries([...found].toSorted(([one], [other]) => (one < other ? -1 : 1)))
  return { resolve, components }
}
