import { kept } from './kept.ts'

/** `/api/v1/openapi.json`: what the REST interface is (OpenAPI 3.1). It needs no token and no database. */
export const openApiText = kept(
  async () => {
    const { printedOpenApi } = await import('../../rest/openapi/printed.ts')
    return printedOpenApi()
  },
  { 'content-type': 'application/json', 'cache-control': 'no-cache' },
)
