import type { RequestListener, ServerResponse } from 'node:http'
import { Slots } from '../data/slots.ts'
import { Refusal } from '../errors.ts'
import { Executor } from '../execution/executor.ts'
import { compress } from '../http/compress.ts'
import { readQuery } from '../http/query.ts'
import { allMethods, type HttpResponse, optionsResponse, preflightHeaders, writeResponse } from '../http/response.ts'
import { basePath } from '../rest/paths.ts'
import { problem } from '../rest/problem.ts'
import { createRest } from '../rest/rest.ts'
import { apiVersions } from '../rest/versions.ts'
import type { Authentication } from '../schema/context.ts'
import { schema } from '../schema/schema.ts'
import type { App } from './app.ts'
import { createGraphQL } from './graphql/graphql.ts'
import { refusedGraphQL } from './graphql/graphql-response.ts'
import { mediaTypeFor } from './graphql/media-type.ts'
import { TrustedDocuments } from './graphql/trusted-documents.ts'
import { demoFor } from './pages/demo-access.ts'
import { graphiQL } from './pages/graphiql.ts'
import { problemPage } from './pages/problem-page.ts'
import { requestSlots, ServedRequest } from './served-request.ts'
import { createResources } from './static/resources.ts'

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
export function createListener(app: App): RequestListener {
  const { log } = app
  const { onlyTrustedDocuments = false, graphiql: hasGraphiQL = true, introspection = true } = app
  const offer = { hasGraphiQL, hasSchema: introspection }
  const slots = new Slots(app.slots ?? requestSlots)
  const addresses = new Slots({ atOnce: app.requestsPerAddress, waiting: 0, waitTimeout: 0 })
  const executor = new Executor(schema, log, { introspection })
  const documents = new TrustedDocuments(app.database, onlyTrustedDocuments)
  if (app.compilesAtStart) {
    documents.compile(executor, log).catch((err) => log.warn({ err }, 'the trusted documents could not be read'))
  }
  const graphql = createGraphQL(executor, documents)
  const resourceAt = createResources(app, offer)
  const rest = createRest(executor)

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

  /** Lets a request begin, or tells why it may not. */
  async function admit(request: ServedRequest): Promise<Refusal | undefined> {
    if (app.isBehind?.()) return new Refusal('UNAVAILABLE', 'The server is overloaded. Try again later.')
    try {
      request.atEnd(await addresses.take(request.clientAddress()))
      return undefined
    } catch (error) {
      return request.refusalOf(error)
    }
  }

  async function handle(request: ServedRequest): Promise<HttpResponse> {
    if (request.path === '*') return optionsResponse(allMethods)
    const path = withoutSlash(request.path)
    const refused = path.startsWith('/health/') ? undefined : await admit(request)
    if (refused) return refuse(request, refused)
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
    const { message, method, requestId, line } = request
    try {
      const answered = await pending.catch((error) => problem(request.refusalOf(error), requestId))
      const { status, headers, body, code } = await compress(answered, message.headers)
      const budget = await request.budgetHeaders(status)
      if (response.headersSent) return
      const isPreflight = method === 'OPTIONS' && message.headers['access-control-request-method'] !== undefined
      const cors = isPreflight ? preflightHeaders : {}
      const last = app.isStopping?.() ? { connection: 'close' } : {}
      const written = { status, headers: { ...headers, ...budget, ...cors, ...last }, body }
      if (message.socket.writable) writeResponse(response, requestId, written)
      if (response.writableLength > 0) request.setDeadline(app.timeouts.delivery, () => response.destroy())
      line.write({ status, code })
    } catch (err) {
      log.error({ err, requestId }, 'the response could not be written')
      response.destroy()
    }
  }

  return (message, response) => {
    const request = new ServedRequest(message, app, slots)
    request.setDeadline(app.timeouts.response, () => respond(request, response, refuse(request, request.stop())))
    response.once('close', () => request.end(response.writableFinished))
    void respond(request, response, handle(request))
  }
}
