import type { FastifyInstance, FastifyRequest } from 'fastify'
import { notFound, Refusal } from '../errors.ts'
import { answerOtherMethods, withHead } from '../http/allowed-methods.ts'
import { acceptJson, ignoreBodies } from '../http/json-body.ts'
import { readQuery } from '../http/query.ts'
import type { Documents } from '../operations/documents.ts'
import type { GetEnveloped } from '../operations/pipeline.ts'
import { unauthenticated } from '../schema/context.ts'
import { prepareEndpoint } from './endpoint.ts'
import type { Operation } from './operation.ts'
import { operations } from './operations.ts'
import { parseTemplate, pathVariables, type Template } from './paths.ts'
import type { ApiVersion } from './versions.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The version of the REST interface that a path belongs to. */
    version?: ApiVersion
  }
}

/** What the path of each group of operations names. */
const finds = { Posts: 'post', Users: 'user', Replies: 'reply' } as const satisfies Record<Operation['tag'], string>

/** A path template as Fastify writes it. */
const urlOf = (path: string) => path.replace(/\{(\w+)\}/g, ':$1')

/**
 * The REST interface: one route for each operation, which runs its GraphQL document. Prepares all documents, so it throws when one does
 * not fit the schema. Refuses in the documented order: 400 of the query string, 401 (not for OPTIONS), 404 of the path, 405, then those
 * of the operation.
 */
export async function addRest(api: FastifyInstance, documents: Documents, getEnveloped: GetEnveloped): Promise<void> {
  api.addHook('onRequest', async ({ served, method }) => {
    await served.authenticate()
    if (method === 'OPTIONS') return
    readQuery(served.search)
    const { session, refusal } = served.authentication
    if (!session) throw refusal ?? unauthenticated()
  })
  api.setNotFoundHandler(async () => {
    throw notFound('path')
  })

  const add = (scope: FastifyInstance, definition: Operation) => {
    const { method, path, version, tagged } = definition
    const endpoint = prepareEndpoint(definition, documents, getEnveloped)
    const url = urlOf(path)
    scope.route({
      method: withHead(method),
      url,
      config: { version },
      // A strong entity tag is that of one encoding (RFC 9110, section 8.8.3.3).
      ...(tagged && { compress: false }),
      onRequest: async (request) => void pathOf(definition, request),
      handler: (request, reply) => endpoint(request, reply, pathOf(definition, request)),
    })
  }
  const withBody = operations.filter(({ body }) => body)
  const withoutBody = operations.filter(({ body }) => !body)
  await api.register(async (scope) => {
    acceptJson(scope)
    for (const operation of withBody) add(scope, operation)
  })
  await api.register(async (scope) => {
    ignoreBodies(scope)
    for (const operation of withoutBody) add(scope, operation)
    for (const path of new Set(operations.map(({ path }) => path))) {
      const [first, ...others] = operations.filter((operation) => operation.path === path)
      if (!first) continue
      const methods = [first, ...others].flatMap(({ method }) => withHead(method))
      const check = (request: FastifyRequest) => void pathOf(first, request)
      answerOtherMethods(scope, { url: urlOf(path), methods, config: { version: first.version }, check })
    }
  })
}

/** The decoded segments of a path, and the variables that they set. Throws `NOT_FOUND` for a malformed parameter. */
function pathOf({ path, tag }: Operation, { params }: FastifyRequest) {
  const template: Template = parseTemplate(path)
  const values = new Map(Object.entries(Object(params)))
  const segments = template.map((part) => String(part.startsWith('{') ? values.get(part.slice(1, -1)) : part))
  const variables = pathVariables(template, segments)
  if (variables === undefined) throw new Refusal('NOT_FOUND', `There is no such ${finds[tag]}: its id is malformed.`)
  return { segments, variables }
}
