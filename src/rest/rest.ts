import { notFound, Refusal } from '../errors.ts'
import type { Executor } from '../execution/executor.ts'
import { readQuery } from '../http/query.ts'
import type { HttpRequest } from '../http/request.ts'
import { type HttpResponse, optionsResponse } from '../http/response.ts'
import { unauthenticated } from '../schema/context.ts'
import { prepareEndpoint } from './endpoint.ts'
import { operations } from './operations.ts'
import { basePath, parsePath, pathVariables } from './paths.ts'
import { problem } from './problem.ts'
import { findResource, groupByPath, type Resource } from './resources.ts'
import type { Variables } from './variables.ts'
import { apiVersions } from './versions.ts'

/** The resource of a path, and the variables that the path sets. Undefined when a parameter is malformed. */
type Target = {
  readonly resource: Resource
  readonly segments: readonly string[]
  readonly variables: Variables | undefined
}

/**
 * The REST interface: handles a request by running the GraphQL document of its operation. Prepares all documents, so it
 * throws when one does not fit the schema. A refusal becomes a problem document; the returned function rejects with
 * unexpected errors only.
 */
export function createRest(executor: Executor): (request: HttpRequest) => Promise<HttpResponse> {
  const resources = groupByPath(operations, (operation) => prepareEndpoint(operation, executor))

  return async (request) => {
    const segments = parsePath(request.path.slice(basePath.length))
    const resource = segments && findResource(resources, segments)
    const target = resource && { resource, segments, variables: pathVariables(resource.template, segments) }

    const { status, headers, body, code } = await respond(request, target).catch((error) => {
      if (error instanceof Refusal) return problem(error, request.requestId, request.authentication.session)
      throw error
    })
    const more = {
      'api-version': resource?.version ?? apiVersions.posts,
      ...(resource && status === 405 && { allow: resource.allow }),
    }
    return { status, headers: { ...headers, ...more }, body, code }
  }
}

/** Refuses in the documented order: 400 of the query string, 401 (not for OPTIONS), 404 of the path, 405, then those of the endpoint. */
async function respond(request: HttpRequest, target: Target | undefined): Promise<HttpResponse> {
  const { method, authentication } = request
  if (method === 'OPTIONS') return optionsResponse(existing(target).allow)
  const query = readQuery(request.search)
  const { session, refusal } = authentication
  if (!session) throw refusal ?? unauthenticated()
  const { endpoints, allow, segments, variables } = existing(target)
  const endpoint = endpoints.get(method === 'HEAD' ? 'GET' : method)
  if (endpoint === undefined) throw new Refusal('METHOD_NOT_ALLOWED', `This path supports ${allow} only.`)
  return endpoint({ request, query, session, segments, variables })
}

function existing(target: Target | undefined) {
  if (target === undefined) throw notFound('path')
  const { resource, segments, variables } = target
  if (variables === undefined)
    throw new Refusal('NOT_FOUND', `There is no such ${resource.finds}: its id is malformed.`)
  return { ...resource, segments, variables }
}
