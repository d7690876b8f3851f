import { printedSchema } from '../../schema/schema.ts'
import { staticResource } from './static-resource.ts'

/** `/schema.graphql`: the GraphQL schema as text. */
export const schemaText = staticResource(printedSchema, {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-cache',
})
