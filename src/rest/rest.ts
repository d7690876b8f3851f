import type { FastifyInstance } from 'fastify'
import { notFound } from '../errors.ts'
import { answerOtherMethods, withHead } from '../http/allowed-methods.ts'
import { addIdentity } from '../http/identity.ts'
import { acceptJson, ignoreBodies } from '../http/json-body.ts'
import { addBudget } from '../http/request-budget.ts'
import { readQuery } from '../http/url.ts'
import { unauthenticated } from '../schema/context.ts'
import { type Endpoint, prepareEndpoint, type RestParts } from './endpoint.ts'
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
 * The REST interface: one route for each operation, which runs its GraphQL document. Prepares all documents, so it throws when one does
 * not fit the schema. Refuses in the documented order: 400 of the query string, 401 (not for OPTIONS), 404 of the path, 405, then those
 * of the operation.
 */
export async function addRest(api: FastifyInstance, parts: RestParts): Promise<void> {
  const { service, budgets } = parts
  for (const name of ['search', 'named']) api.decorateRequest(name)
  addIdentity(api, service.sessions)
  if (budgets) addBudget(api, budgets)
  api.addHook('onRequest', (request, _reply, done) => {
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
  api.setNotFoundHandler(async () => {
    throw notFound('path')
  })

  const add = (scope: FastifyInstance, { method, path, tag }: Documented, handler: Endpoint) =>
    scope.route({ method: withHead(method), url: urlOf(path), config: groups[tag], handler })
  const withBody = operations.filter(({ body }) => body)
  const withoutBody = operations.filter(({ body }) => !body)
  for (const method of new Set(withBody.map(({ method }) => method))) {
    await api.register(async (scope) => {
      acceptJson(scope, method)
      for (const operation of withBody)
        if (operation.method === method) add(scope, operation, prepareEndpoint(operation, parts))
    })
  }
  await api.register(async (scope) => {
    ignoreBodies(scope)
    // Even a malformed type of a body that is ignored.
    scope.addHook('onRequest', ({ raw }, _reply, done) => {
      if (raw.headers['content-type'] !== undefined) raw.headers['content-type'] = undefined
      done()
    })
    for (const operation of withoutBody) add(scope, operation, prepareEndpoint(operation, parts))
    add(scope, getExport, exportEndpoint(getExport, parts))
    for (const path of new Set(documented.map(({ path }) => path))) {
      const [first, ...others] = documented.filter((operation) => operation.path === path)
      if (!first) continue
      const methods = [first, ...others].flatMap(({ method }) => withHead(method))
      answerOtherMethods(scope, { url: urlOf(path), methods, config: groups[first.tag] })
    }
  })
}
