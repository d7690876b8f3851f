import type { Executor } from '../execution/executor.ts'
import type { Answer } from './answer.ts'

/** `/api/v1/openapi.json`: what the REST interface is (OpenAPI 3.1). It needs no token and no database. */
export function createOpenApi(executor: Executor): () => Promise<Answer> {
  // Made when it is first asked for, and then kept: it never changes.
  let body: Promise<string> | undefined
  const print = () => import('../rest/openapi/printed.ts').then(({ printedOpenApi }) => printedOpenApi(executor))
  return async () => {
    body ??= print()
    return { status: 200, headers: { 'content-type': 'application/json' }, body: await body }
  }
}
