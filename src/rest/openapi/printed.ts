import { Documents } from '../../operations/documents.ts'
import { schema } from '../../schema/schema.ts'
import { openApiDocument } from './document.ts'

/** The OpenAPI document of the REST interface as text, as `openapi.json` has it. */
export function printedOpenApi(documents: Documents = new Documents(schema, { introspection: true })): string {
  return `${JSON.stringify(openApiDocument(documents), null, 2)}\n`
}
