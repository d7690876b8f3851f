import type { Plugin } from 'graphql-yoga'
import type { HttpResponse } from '../http/response.ts'
import type { GraphQLContext } from './use-parameters.ts'

/** Makes the page of GraphiQL. */
export type GraphiQLPage = (context: GraphQLContext) => Promise<HttpResponse>

/** Serves GraphiQL to browsers. It is Rookery's own page, since that of Yoga loads its parts from elsewhere. */
export function useGraphiQLPage(page: GraphiQLPage | undefined): Plugin<object, GraphQLContext> {
  if (page === undefined) return {}
  return {
    onRequest: async ({ serverContext, fetchAPI, endResponse }) => {
      if (!serverContext.isBrowser) return
      const { status, headers, body } = await page(serverContext)
      endResponse(new fetchAPI.Response(body?.toString() ?? null, { status, headers }))
    },
  }
}
