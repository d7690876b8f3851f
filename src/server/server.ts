import { METHODS } from 'node:http'
import compress from '@fastify/compress'
import { type FastifyInstance, type FastifyReply, type FastifyRequest, fastify } from 'fastify'
import { Slots } from '../data/slots.ts'
import { ChangeWatch } from '../domain/change-watch.ts'
import { Refusal } from '../errors.ts'
import { addGraphQL } from '../graphql/routes.ts'
import type { GraphiQLPage } from '../graphql/use-graphiql-page.ts'
import { TrustedDocuments } from '../graphql/use-trusted-documents.ts'
import { createGraphQL } from '../graphql/yoga.ts'
import { chooseEncoding, compression } from '../http/compression.ts'
import { ignoreBodies } from '../http/json-body.ts'
import { positionHeader } from '../http/position.ts'
import { isDecodable } from '../http/query.ts'
import { refusalIn } from '../http/refusal-of-request.ts'
import { allMethods, commonHeaders, preflightHeaders, sendResponse } from '../http/response.ts'
import { ServedRequest } from '../http/served-request.ts'
import { Documents } from '../operations/documents.ts'
import { basePath } from '../rest/paths.ts'
import { problem } from '../rest/problem.ts'
import { addRest } from '../rest/rest.ts'
import { apiVersions } from '../rest/versions.ts'
import { schema } from '../schema/schema.ts'
import { isTraced } from '../tracing.ts'
import type { App } from './app.ts'
import { createHttpServer } from './connections/http-server.ts'
import { addHealth } from './health.ts'
import { addPages } from './page-routes.ts'
import { demoFor } from './pages/demo-access.ts'
import { graphiQL } from './pages/pages.ts'
import { problemPage } from './pages/problem-page.ts'
import { addTracing } from './tracing.ts'

/** How many requests of an account, or without a token of an address, are in progress at once, how many more wait, and for how many milliseconds. */
export const requestSlots = { atOnce: 8, waiting: 64, waitTimeout: 2_000 } as const

/** A URL without the prefix, which some proxies remove. */
function withoutPrefix(url: string, prefix: string): string {
  const rest = url.slice(prefix.length)
  if (!url.startsWith(prefix) || !/^(?:[/?]|$)/.test(rest)) return url
  return rest.startsWith('/') ? rest : `/${rest}`
}

/** The server of the service: pages, static resources, health, GraphQL, REST. Throws when a REST document does not fit the schema. */
export async function createServer(app: App): Promise<FastifyInstance> {
  const { graphiql: hasGraphiQL = true, introspection: hasSchema = true, prefix, demo, log } = app
  const site = { prefix, hasGraphiQL, hasSchema }
  const server = fastify({
    serverFactory: (handler) => createHttpServer(handler, app),
    forceCloseConnections: 'idle',
    return503OnClosing: false,
    // They would send a length of 0 with 304.
    exposeHeadRoutes: false,
    routerOptions: { ignoreTrailingSlash: true, maxParamLength: app.headerSize },
    rewriteUrl: ({ url = '/' }) => {
      const below = withoutPrefix(url, prefix)
      const [path = '/', ...query] = below.split('?')
      // Fastify answers malformed escapes without hooks. Like this, they are a path that does not exist.
      return isDecodable(path) ? below : [path.replaceAll('%', '%25'), ...query].join('?')
    },
  })
  const { supportedMethods } = server
  for (const method of METHODS) if (!supportedMethods.includes(method)) server.addHttpMethod(method)
  server.decorateRequest('served')
  server.decorateRequest('bodyText')
  server.decorateRequest('bodyRefusal')
  ignoreBodies(server)

  /** Gives a request its deadline and the headers that every response has. */
  function begin(request: FastifyRequest, reply: FastifyReply): void {
    chooseEncoding(request.raw.headers)
    const served = new ServedRequest(request.raw, reply.raw, app)
    served.isMinor = request.routeOptions.logLevel === 'debug'
    request.served = served
    served.setDeadline(app.timeouts.response, () => reply.send(served.stop()))
    reply.headers({ ...commonHeaders, 'x-request-id': served.requestId })
    const { version = apiVersions.posts } = request.routeOptions.config
    if (request.routeOptions.url === '/graphql') served.surface = 'graphql'
    if (served.path === basePath || served.path.startsWith(`${basePath}/`)) {
      served.surface = 'rest'
      reply.header('api-version', version)
    }
  }

  /** Responds with a problem document, or to a browser with a page. */
  async function refuse(refusal: Refusal, { raw, served }: FastifyRequest, reply: FastifyReply) {
    served.noteCode(refusal.code)
    return sendResponse(reply, await problemPage(raw, problem(refusal), site))
  }

  server.addHook('onRequest', (request, reply, done) => {
    begin(request, reply)
    const { method, url, headers } = request.raw
    // Scripts cannot read what refuses a preflight request, so it is the request after it that is refused.
    if (method === 'OPTIONS' && headers['access-control-request-method']) {
      return reply.code(204).headers(preflightHeaders).send()
    }
    if (url !== '*') return done()
    return reply.code(204).header('allow', allMethods).send()
  })
  if (isTraced()) addTracing(server)
  server.addHook('onSend', async ({ served }, reply) => {
    // A handler that ends after its deadline has nothing to add.
    if (served.isAnswered) return new Promise<never>(() => {})
    served.isAnswered = true
    served.setDeadline(app.timeouts.delivery, () => reply.raw.destroy())
    const budget = await served.budgetHeaders(reply.statusCode).catch((error) => void served.refusalOf(error))
    if (budget) reply.headers(budget)
    if (served.cost !== undefined) reply.header('Rookery-Cost', served.cost)
    if (served.position) reply.header(positionHeader, served.position)
    if (app.isStopping?.()) reply.header('connection', 'close')
    served.noteAnswer(reply.statusCode)
    return undefined
  })
  server.setErrorHandler((error, request, reply) => refuse(refusalIn(error, request), request, reply))
  await server.register(async (health) => addHealth(health, app), { logLevel: 'debug' })
  await server.register(compress, compression)
  const documents = new Documents(schema, { introspection: app.introspection ?? true })
  const trusted = new TrustedDocuments(app.database, { only: app.onlyTrustedDocuments ?? false })
  if (app.compilesAtStart) {
    trusted.compile(documents, app.log).catch((err) => app.log.warn({ err }, 'the trusted documents could not be read'))
  }
  const graphiql: GraphiQLPage | undefined = hasGraphiQL
    ? ({ caller: { message } }) => graphiQL(demoFor(message, demo), site)
    : undefined
  const watch = new ChangeWatch(app.database)
  server.addHook('preClose', async () => watch.stop())
  const yoga = createGraphQL({ service: app, documents, watch, trusted, graphiql, log })
  const addresses = new Slots({ atOnce: app.requestsPerAddress, waiting: 0, waitTimeout: 0 })
  const accounts = new Slots(app.slots ?? requestSlots)
  app.metrics?.watchSlots({ address_requests: addresses, account_requests: accounts })
  app.metrics?.watchSubscriptions(watch.open)

  await server.register(async (scope) => {
    scope.addHook('onRequest', async ({ served }) => {
      if (app.isBehind?.()) throw new Refusal('UNAVAILABLE', 'The server is overloaded. Try again later.')
      served.hold(await addresses.take(served.clientAddress()))
    })
    scope.setNotFoundHandler(async () => {
      throw new Refusal('NOT_FOUND', 'Nothing was found at this path. The start page has an overview.')
    })
    await scope.register(async (pages) => addPages(pages, app, site))
    await scope.register(async (apis) => {
      apis.addHook('preHandler', async ({ served, method }) => {
        if (method !== 'OPTIONS') await served.begin(accounts)
      })
      await apis.register(async (api) => addGraphQL(api, { yoga, documents, hasGraphiQL }))
      await apis.register(async (api) => addRest(api, { documents, getEnveloped: yoga.getEnveloped, watch }), {
        prefix: basePath,
      })
    })
  })
  return server
}
