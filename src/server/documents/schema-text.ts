import { printedSchema } from '../../schema/schema.ts'
import { kept } from './kept.ts'

/** `/schema.graphql`: the GraphQL schema as text. */
export const schemaText = kept(printedSchema, {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-cache',
})
