import type { FastifyInstance } from 'fastify'
import { notFound } from '../errors.ts'
import { answerOtherMethods, withHead } from '../http/allowed-methods.ts'
import type { Api } from '../http/api.ts'
import { addIdentity } from '../http/identity.ts'
import { acceptJson, ignoreBodies } from '../http/json-body.ts'
import { addBudget } from '../http/request-budget.ts'
import { readQuery } from '../http/url.ts'
import { unauthenticated } from '../schema/context.ts'
import { type Endpoint, prepareEndpoint } from './endpoint.ts'
import { exportEndpoint } from './export.ts'
import type { Documented } from './operation.ts'
import { getExport } from './operations/export.ts'
import { documented, operations } from './operations.ts'
import { type PathParameters, pathVariables } from './paths.ts'
import type { Variables } from './variables.ts'
import { type ApiVersion, groups } from './versions.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The version of the REST interface that a path belongs to. */
    version?: ApiVersion
    /** What the path names, such as `post`. */
    finds?: string
  }
  interface FastifyRequest {
    /** The query of a REST request. */
    search: URLSearchParams
    /** The parameters of its path, and the variables that they set. */
    named: { readonly parameters: PathParameters; readonly variables: Variables }
  }
}

/** A path template as Fastify writes it. */
const urlOf = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/**
 * The REST interface: one route for each operation, which runs its GraphQL document. Refuses in the documented order: 400 of the query
 * string, 401 (not for OPTIONS), 404 of the path, 405, then those of the operation.
 */
export async function addRest(scope: FastifyInstance, api: Api): Promise<void> {
  const { service, budgets } = api
  for (const name of ['search', 'named']) scope.decorateRequest(name)
  addIdentity(scope, service.sessions)
  if (budgets) addBudget(scope, budgets)
  scope.addHook('onRequest', (request, _reply, done) => {
    const { method, raw, identity, params, routeOptions } = request
    if (method !== 'OPTIONS') {
      request.search = readQuery(raw)
      if (!identity.session) throw identity.refusal ?? unauthenticated()
    }
    const parameters: PathParameters = Object(params)
    const { finds } = routeOptions.config
    if (finds) request.named = { parameters, variables: pathVariables(parameters, finds) }
    done()
  })
  scope.setNotFoundHandler(async () => {
    throw notFound('path')
  })

  const add = (to: FastifyInstance, { method, path, tag }: Documented, handler: Endpoint) =>
    to.route({ method: withHead(method), url: urlOf(path), config: groups[tag], handler })
  const withBody = operations.filter(({ body }) => body)
  const withoutBody = operations.filter(({ body }) => !body)
  for (const method of new Set(withBody.map(({ method }) => method))) {
    await scope.register(async (json) => {
      acceptJson(json, method)
      for (const operation of withBody)
        if (operation.method === method) add(json, operation, prepareEndpoint(operation, api))
    })
  }
  await scope.register(async (other) => {
    ignoreBodies(other)
    // Even a malformed type of a body that is ignored.
    other.addHook('onRequest', ({ raw }, _reply, done) => {
      if (raw.headers['content-type'] !== undefined) raw.headers['content-type'] = undefined
      done()
    })
    for (const operation of withoutBody) add(other, operation, prepareEndpoint(operation, api))
    add(other, getExport, exportEndpoint(getExport, api))
    for (const path of new Set(documented.map(({ path }) => path))) {
      const [first, ...others] = documented.filter((operation) => operation.path === path)
      if (!first) continue
      const methods = [first, ...others].flatMap(({ method }) => withHead(method))
      answerOtherMethods(other, { url: urlOf(path), methods, config: groups[first.tag] })
    }
  })
}
