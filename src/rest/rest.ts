import { notFound, Refusal } from '../errors.ts'
import type { Executor } from '../execution/executor.ts'
import { prepareEndpoint } from './endpoint.ts'
import type { RestRequest, RestResponse } from './http.ts'
import { parsePath, pathVariables } from './paths.ts'
import { problem } from './problem.ts'
import { readQuery } from './query.ts'
import { findResource, gatherResources, type Resource } from './resources.ts'
import { apiVersions, type Variables } from './route.ts'
import { routes } from './routes.ts'

/** What a path names, and the variables that it sets. */
type Target = { readonly resource: Resource; readonly segments: readonly string[]; readonly variables: Variables }

/**
 * The REST interface: answers a request by running the GraphQL document of its route. The documents are prepared here,
 * once, so this throws when one does not fit the schema. A refused request is answered with a problem document; what the
 * returned function rejects with is unforeseen.
 */
export function createRest(executor: Executor): (request: RestRequest) => Promise<RestResponse> {
  const resources = gatherResources(routes, (route) => prepareEndpoint(route, executor))

  return async (request) => {
    const segments = parsePath(request.path)
    const resource = segments && findResource(resources, segments)
    const variables = resource && pathVariables(resource.template, segments)
    const target = segments && resource && variables && { resource, segments, variables }

    const { status, headers, body } = await respond(request, target).catch((error) => {
      if (error instanceof Refusal) return problem(error, request)
      throw error
    })
    headers['api-version'] = resource?.version ?? apiVersions.posts
    if (resource && status === 405) headers.allow = resource.allow
    return { status, headers, body: request.method === 'HEAD' ? undefined : body }
  }
}

/** Refuses in the documented order: 400 of the query string, 401 (not for OPTIONS), 404 of the path, 405, then what the endpoint refuses. */
async function respond(request: RestRequest, target: Target | undefined): Promise<RestResponse> {
  const { method, session } = request
  if (method === 'OPTIONS') {
    return { status: 204, headers: { allow: existing(target).resource.allow }, body: undefined }
  }
  const query = readQuery(request.search)
  if (session instanceof Refusal) throw session
  const { resource, segments, variables } = existing(target)
  const endpoint = resource.endpoints.get(method === 'HEAD' ? 'GET' : method)
  if (endpoint === undefined) throw new Refusal('METHOD_NOT_ALLOWED', `This path allows ${resource.allow} only.`)
  return endpoint({ request, query, session, segments, variables })
}

function existing(target: Target | undefined): Target {
  if (target === undefined) throw notFound('path')
  return target
}
