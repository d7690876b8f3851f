import type { GraphQLSchema } from 'graphql'
import { z } from 'zod'
import { withDescriptions } from '../descriptions.ts'
import { components } from '../types.ts'

/** An object of an OpenAPI 3.1 document. A zod schema in it stands for its JSON Schema (draft 2020-12), or a reference to its component. */
export type Json = { readonly [keyword: string]: unknown }

/** A reference to a component. */
export function ref(section: 'schemas' | 'responses' | 'headers' | 'parameters', name: string): Json {
  return { $ref: `#/components/${section}/${name}` }
}

const options: NonNullable<Parameters<typeof z.toJSONSchema>[1]> = {
  // Otherwise objects would have no other properties, but later versions may add some.
  io: 'input',
  override: ({ zodSchema, jsonSchema }) => {
    if (jsonSchema.pattern) jsonSchema.pattern = jsonSchema.pattern.replaceAll('\\/', '/')
    const [value] = jsonSchema.anyOf ?? []
    if (zodSchema._zod.def.type !== 'nullable' || !value?.type) return
    // `type: ['string', 'null']` instead of `anyOf`, which many generators turn into a type of its own.
    const { anyOf, ...own } = jsonSchema
    delete jsonSchema.anyOf
    Object.assign(jsonSchema, value, own, { type: [value.type, 'null'] })
  },
}

/** The JSON Schemas of all components, in the order of their names, because modules load in any order. */
export function componentSchemas() {
  const { schemas } = z.toJSONSchema(components, { ...options, uri: (id) => `#/components/schemas/${id}` })
  return Object.entries(schemas)
    .toSorted(([one], [other]) => (one < other ? -1 : 1))
    .map(([id, { $schema, $id, ...schema }]) => [id, schema] as const)
}

/** Prints an object of an OpenAPI document as JSON, with the descriptions that it refers to. */
export function print(document: Json, graphql: GraphQLSchema): string {
  const withSchemas = (_key: string, value: unknown) => {
    if (typeof value === 'string') return withDescriptions(value, graphql)
    if (!(value instanceof z.ZodType)) return value
    const id = components.get(value)?.id
    if (id !== undefined) return ref('schemas', id)
    if (value instanceof z.ZodUnion) return { anyOf: value.options }
    const { $schema, ...schema } = z.toJSONSchema(value, options)
    return schema
  }
  return JSON.stringify(document, withSchemas, 2)
}
