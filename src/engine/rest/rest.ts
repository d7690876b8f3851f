import type { FastifyInstance } from 'fastify'
import { notFound } from '../errors.ts'
import { answerOtherMethods, withHead } from '../http/allowed-methods.ts'
import type { ApiServices } from '../http/api-services.ts'
import { acceptJson, ignoreBodies } from '../http/json-body.ts'
import { addBudget } from '../http/request-budget.ts'
import { addViewer } from '../http/viewer.ts'
import { prepareEndpoint } from './endpoint.ts'
import {
  type Documented,
  documentedOf,
  type Endpoint,
  type Operation,
  pathsOf,
  type RestInterface,
} from './operation.ts'
import { addRequestHead } from './request-head.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The version of the REST interface that a path belongs to. */
    version?: string
  }
}

/** A path template as Fastify writes it. */
const urlOf = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/**
 * A REST interface: one route for each operation, which runs its GraphQL document. Refuses in the documented order: 400 of the query
 * string, 401 (not for OPTIONS), 404 of the path, 405, then those of the operation.
 */
export async function addRest(scope: FastifyInstance, rest: RestInterface, services: ApiServices): Promise<void> {
  const { operations, streams } = rest
  const documented = documentedOf(rest)
  const { viewers, budgets } = services
  addViewer(scope, viewers)
  addBudget(scope, budgets)
  addRequestHead(scope, rest)
  scope.setNotFoundHandler(async () => {
    throw notFound('path')
  })

  const add = (to: FastifyInstance, operation: Documented, handler: Endpoint, needsToken = true) => {
    const method = withHead(operation.method)
    const config = { ...operation.group, needsToken, isBodyOptional: operation.body?.isOptional ?? false }
    for (const path of pathsOf(operation)) to.route({ method, url: urlOf(path), config, handler })
  }
  const addPrepared = (to: FastifyInstance, operation: Operation) => {
    const { endpoint, needsToken } = prepareEndpoint(rest, operation, services)
    add(to, operation, endpoint, needsToken)
  }
  const withBody = operations.filter(({ body }) => body)
  const withoutBody = operations.filter(({ body }) => !body)
  for (const method of new Set(withBody.map(({ method }) => method))) {
    await scope.register(async (json) => {
      acceptJson(json, method)
      for (const operation of withBody) if (operation.method === method) addPrepared(json, operation)
    })
  }
  await scope.register(async (other) => {
    ignoreBodies(other)
    // Even a malformed type of a body that is ignored.
    other.addHook('onRequest', ({ raw }, _reply, done) => {
      if (raw.headers['content-type'] !== undefined) raw.headers['content-type'] = undefined
      done()
    })
    for (const operation of withoutBody) addPrepared(other, operation)
    for (const { definition, endpoint } of streams) add(other, definition, endpoint(services))
    for (const path of new Set(documented.flatMap((operation) => [...pathsOf(operation)]))) {
      const all: readonly Documented[] = documented.filter((operation) => pathsOf(operation).has(path))
      const [first] = all
      if (!first) continue
      const methods = all.flatMap(({ method }) => withHead(method))
      const takingBodies = all.filter(({ body }) => body).map(({ method }) => method)
      answerOtherMethods(other, { url: urlOf(path), methods, takingBodies, config: first.group })
    }
  })
}
