import type { Plugin } from 'graphql-yoga'
import type { HttpResponse } from '../http/response.ts'
import type { GraphQLContext } from './use-parameters.ts'

/** Makes the page of GraphiQL, opened with the parameters of a URL. */
export type GraphiQLPage = (query: URLSearchParams, context: GraphQLContext) => Promise<HttpResponse>

/** Serves GraphiQL to browsers. It is Rookery's own page, since that of Yoga loads its parts from elsewhere. */
export function useGraphiQLPage(page: GraphiQLPage | undefined): Plugin<object, GraphQLContext> {
  if (page === undefined) return {}
  return {
    onRequest: async ({ serverContext, fetchAPI, endResponse }) => {
      if (!serverContext.isBrowser || !('query' in serverContext.sent)) return
      const { status, headers, body } = await page(serverContext.sent.query, serverContext)
      endResponse(new fetchAPI.Response(body?.toString() ?? null, { status, headers }))
    },
  }
}
