import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound, Refusal } from '../errors.ts'
import { answerOtherMethods, withHead } from '../http/allowed-methods.ts'
import { acceptJson, ignoreBodies } from '../http/json-body.ts'
import { unauthenticated } from '../schema/context.ts'
import { prepareEndpoint, type RestService } from './endpoint.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { type PathParameters, pathVariables, usernameFormat } from './paths.ts'
import { type ApiVersion, groups } from './versions.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The version of the REST interface that a path belongs to. */
    version?: ApiVersion
  }
}

/** A path template as Fastify writes it. */
const urlOf = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/**
 * The REST interface: one route for each operation, which runs its GraphQL document. Prepares all documents, so it throws when one does
 * not fit the schema. Refuses in the documented order: 400 of the query string, 401 (not for OPTIONS), 404 of the path, 405, then those
 * of the operation.
 */
export async function addRest(api: FastifyInstance, service: RestService): Promise<void> {
  api.addHook('onRequest', async ({ served, method }) => {
    await served.authenticate()
    if (method === 'OPTIONS') return
    // Throws for a malformed one.
    void served.query
    const { session, refusal } = served.authentication
    if (!session) throw refusal ?? unauthenticated()
  })
  api.setNotFoundHandler(async () => {
    throw notFound('path')
  })

  const add = (scope: FastifyInstance, definition: Operation) => {
    const { method, path, tag } = definition
    const endpoint = prepareEndpoint(definition, service)
    const url = urlOf(path)
    scope.route({
      method: withHead(method),
      url,
      config: { version: groups[tag].version },
      onRequest: async (request) => void readPath(definition, request),
      handler: (request, reply) => endpoint(request, reply, readPath(definition, request)),
    })
  }
  const withBody = operations.filter(({ body }) => body)
  const withoutBody = operations.filter(({ body }) => !body)
  for (const method of new Set(withBody.map(({ method }) => method))) {
    await api.register(async (scope) => {
      acceptJson(scope, method)
      for (const operation of withBody) if (operation.method === method) add(scope, operation)
    })
  }
  await api.register(async (scope) => {
    ignoreBodies(scope)
    scope.addHook('onRequest', async ({ raw }) => void delete raw.headers['content-type'])
    for (const operation of withoutBody) add(scope, operation)
    for (const path of new Set(operations.map(({ path }) => path))) {
      const [first, ...others] = operations.filter((operation) => operation.path === path)
      if (!first) continue
      const methods = [first, ...others].flatMap(({ method }) => withHead(method))
      const check = (request: FastifyRequest) => void readPath(first, request)
      answerOtherMethods(scope, { url: urlOf(path), methods, config: { version: groups[first.tag].version }, check })
    }
  })
}

/** The parameters of a path, and the variables that they set. Throws `NOT_FOUND` for a malformed one. */
function readPath({ tag }: Operation, { params }: FastifyRequest) {
  const parameters: PathParameters = Object(params)
  const variables = pathVariables(parameters)
  if (variables) return { parameters, variables }
  const name = `@${parameters.user}`
  const hint = parameters.user !== undefined && usernameFormat.test(name) ? ` Did you mean ${name}?` : ''
  throw new Refusal('NOT_FOUND', `There is no such ${groups[tag].finds}: its id is malformed.${hint}`)
}
