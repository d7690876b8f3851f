import { Executor } from '../../execution/executor.ts'
import { createLog } from '../../log.ts'
import { schema } from '../../schema/schema.ts'
import { openApiDocument } from './document.ts'

/** The OpenAPI document of the REST interface as text, as `openapi.json` has it. */
export function printedOpenApi(executor: Executor = new Executor(schema, createLog('silent'))): string {
  return `${JSON.stringify(openApiDocument(executor), null, 2)}\n`
}
