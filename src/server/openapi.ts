import type { Executor } from '../execution/executor.ts'
import { type Kept, kept } from './pages/kept.ts'

/** `/api/v1/openapi.json`: what the REST interface is (OpenAPI 3.1). It needs no token and no database. */
export function createOpenApi(executor: Executor): Kept {
  return kept(
    async () => {
      const { printedOpenApi } = await import('../rest/openapi/printed.ts')
      return printedOpenApi(executor)
    },
    { 'content-type': 'application/json', 'cache-control': 'no-cache' },
  )
}
