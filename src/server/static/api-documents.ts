import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { packageFolder } from '../../package-folder.ts'
import { staticResource } from './static-resource.ts'

// Printing these takes a tenth of a second, in which nothing else would be served. Tests check that the files are up to date.
const readPublished = (name: string) => () => readFile(join(packageFolder, name), 'utf8')

/** `/api/v1/openapi.json`: the OpenAPI document of the REST interface, without a token or a database. */
export const openApiDocument = staticResource(readPublished('openapi.json'), {
  'content-type': 'application/json',
  'cache-control': 'no-cache',
})

/** `/schema.graphql`: the GraphQL schema as text. */
export const schemaDocument = staticResource(readPublished('schema.graphql'), {
  'content-type': 'text/plain; charset=utf-8',
  'cache-control': 'no-cache',
})
