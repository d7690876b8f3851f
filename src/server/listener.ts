import type { RequestListener, ServerResponse } from 'node:http'
import { Refusal } from '../errors.ts'
import { Executor } from '../execution/executor.ts'
import { Compressor } from '../http/compressor.ts'
import { readQuery } from '../http/query.ts'
import { allMethods, type HttpResponse, optionsResponse, preflightHeaders, writeResponse } from '../http/response.ts'
import { SharedMemory } from '../http/shared-memory.ts'
import { basePath } from '../rest/paths.ts'
import { problem } from '../rest/problem.ts'
import { createRest } from '../rest/rest.ts'
import { apiVersions } from '../rest/versions.ts'
import type { Authentication } from '../schema/context.ts'
import { schema } from '../schema/schema.ts'
import type { App } from './app.ts'
import { Presence } from './connections/connection-limits.ts'
import { tooManyAtOnce } from './connections/refusal-response.ts'
import { UnreadResponses } from './connections/unread-responses.ts'
import { createGraphQL } from './graphql/graphql.ts'
import { refusedGraphQL } from './graphql/graphql-response.ts'
import { mediaTypeFor } from './graphql/media-type.ts'
import { TrustedDocuments } from './graphql/trusted-documents.ts'
import { demoFor } from './pages/demo-access.ts'
import { graphiQL } from './pages/graphiql.ts'
import { problemPage } from './pages/problem-page.ts'
import { maxRequestMemory, ServedRequest } from './served-request.ts'
import { createResources } from './static/resources.ts'
import type { AcceptedConnections } from './turns/connections-first.ts'
import { RequestTurns } from './turns/request-turns.ts'

const withoutSlash = (path: string) => path.replace(/(?<=.)\/$/, '')
const isRest = (path: string) => path === basePath || path.startsWith(`${basePath}/`)

const readMethods = 'GET, HEAD, OPTIONS'

/** Serves a resource that is only read. Other methods get 405, or 204 for OPTIONS, with `Allow`. */
async function readOnly(
  { method, requestId }: ServedRequest,
  read: () => HttpResponse | Promise<HttpResponse>,
): Promise<HttpResponse> {
  if (method === 'GET' || method === 'HEAD') return read()
  if (method === 'OPTIONS') return optionsResponse(readMethods)
  const refusal = new Refusal('METHOD_NOT_ALLOWED', `This path supports ${readMethods} only.`)
  const { headers, ...rest } = problem(refusal, requestId)
  return { ...rest, headers: { ...headers, allow: readMethods } }
}

/** The listener of the service: pages, static resources, health, GraphQL, REST. Throws when a REST document does not fit the schema. */
export function createListener(app: App, accepted: AcceptedConnections): RequestListener {
  const { log } = app
  const { onlyTrustedDocuments = false, graphiql: hasGraphiQL = true, introspection = true } = app
  const offer = { hasGraphiQL, hasSchema: introspection }
  const shared = { turns: new RequestTurns(accepted), memory: new SharedMemory(maxRequestMemory) }
  const executor = new Executor(schema, log, { introspection })
  const documents = new TrustedDocuments(app.database, onlyTrustedDocuments)
  if (app.compilesAtStart) {
    documents.compile(executor, log).catch((err) => log.warn({ err }, 'the trusted documents could not be read'))
  }
  const graphql = createGraphQL(executor, documents)
  const resourceAt = createResources(app, offer)
  const rest = createRest(executor)
  const { response: responseTimeout, delivery } = app.timeouts
  const unread = new UnreadResponses(delivery)
  const compressor = new Compressor()
  const inProgress = new Presence(app.connectionsPerAddress)

  async function handleGraphQL(request: ServedRequest): Promise<HttpResponse> {
    const { message, method, search } = request
    const { accept } = message.headers
    if (method === 'OPTIONS') {
      request.chargeTo(undefined)
      return optionsResponse('GET, HEAD, POST, OPTIONS')
    }
    try {
      const query = readQuery(search)
      if (hasGraphiQL && (method === 'GET' || method === 'HEAD') && accept?.includes('text/html')) {
        return graphiQL(query, demoFor(message, app.demo), offer)
      }
      return await graphql(request.asHttpRequest(await request.authenticate()), query)
    } catch (error) {
      return refusedGraphQL(request.refusalOf(error), mediaTypeFor(accept))
    }
  }

  function handleRest(request: ServedRequest, authentication: Authentication): Promise<HttpResponse> {
    const { session } = authentication
    request.chargeTo(session)
    return rest(request.asHttpRequest(authentication)).catch((error) =>
      problem(request.refusalOf(error), request.requestId, session),
    )
  }

  /** Refuses a request without processing it, in the format of its API. */
  async function refuse(request: ServedRequest, refusal: Refusal): Promise<HttpResponse> {
    const { message, path, requestId } = request
    if (isRest(path)) return handleRest(request, { refusal })
    if (withoutSlash(path) !== '/graphql') return problem(refusal, requestId)
    request.chargeTo(undefined)
    return refusedGraphQL(refusal, mediaTypeFor(message.headers.accept))
  }

  async function handle(request: ServedRequest): Promise<HttpResponse> {
    if (request.path === '*') return optionsResponse(allMethods)
    const path = withoutSlash(request.path)
    if (app.isBehind?.() && !path.startsWith('/health/')) {
      return refuse(request, new Refusal('UNAVAILABLE', 'The server is overloaded. Try again later.'))
    }
    if (path === '/graphql') return handleGraphQL(request)
    const resource = await resourceAt(path)
    if (resource) {
      const { headers, ...rest } = await readOnly(request, () => resource(request.message))
      return { ...rest, headers: { ...headers, ...(isRest(path) ? { 'api-version': apiVersions.posts } : {}) } }
    }
    if (isRest(path)) return problemPage(request.message, await handleRest(request, await request.authenticate()))
    const refusal = new Refusal('NOT_FOUND', 'Nothing was found at this path. See / for an overview.')
    return problemPage(request.message, problem(refusal, request.requestId))
  }

  /** Writes a response, unless the request already has one. */
  async function respond(request: ServedRequest, response: ServerResponse, pending: Promise<HttpResponse>) {
    const { message, method, requestId, line, caller } = request
    try {
      const answered = await pending.catch((error) => problem(request.refusalOf(error), requestId))
      const { status, headers, body, code } = await compressor.encode(answered, message.headers)
      const budget = await request.budgetHeaders(status)
      if (response.headersSent) return
      const isPreflight = method === 'OPTIONS' && message.headers['access-control-request-method'] !== undefined
      const cors = isPreflight ? preflightHeaders : {}
      const last = app.isStopping?.() ? { connection: 'close' } : {}
      const written = { status, headers: { ...headers, ...budget, ...cors, ...last }, body }
      unread.watch(response, caller, writeResponse(response, requestId, written))
      line.write({ status, code })
    } catch (err) {
      log.error({ err, requestId }, 'the response could not be written')
      response.destroy()
    }
  }

  return (message, response) => {
    const request: ServedRequest = new ServedRequest(message, app, shared, (refusal) => {
      void respond(request, response, refuse(request, refusal))
    })
    const { caller } = request
    const late = setTimeout(() => request.stopLate(), responseTimeout)
    response.once('close', () => {
      clearTimeout(late)
      if (!response.writableFinished) void request.giveUp()
    })
    // A connection from a proxy carries the requests of many clients, so its requests are counted instead of its connections.
    const address = app.trustedProxies > 0 ? caller.clientAddress() : undefined
    if (address !== undefined && !inProgress.enter(address)) {
      void respond(request, response, refuse(request, tooManyAtOnce()))
      return
    }
    if (address !== undefined) response.once('close', () => inProgress.leave(address))
    void respond(
      request,
      response,
      handle(request).finally(() => request.end()),
    )
  }
}
