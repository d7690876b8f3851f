import { staticResource } from './static-resource.ts'

/** `/api/v1/openapi.json`: the OpenAPI document of the REST interface, without a token or a database. */
export const openApiText = staticResource(
  async () => {
    const { printedOpenApi } = await import('../../rest/openapi/printed.ts')
    return printedOpenApi()
  },
  { 'content-type': 'application/json', 'cache-control': 'no-cache' },
)
