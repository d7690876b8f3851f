import type { IncomingMessage, RequestListener } from 'node:http'
import type { Budget } from '../domain/budgets.ts'
import type { Session } from '../domain/sessions.ts'
import { Refusal } from '../errors.ts'
import { Executor } from '../execution/executor.ts'
import { unexpectedError } from '../execution/mask.ts'
import { authenticate } from '../http/authentication.ts'
import { readBody } from '../http/body.ts'
import { Compressor } from '../http/compressor.ts'
import { readQuery } from '../http/query.ts'
import { rateLimitHeaders } from '../http/rate-limit.ts'
import type { HttpRequest } from '../http/request.ts'
import { allMethods, type HttpResponse, optionsResponse, preflightHeaders, writeResponse } from '../http/response.ts'
import { basePath } from '../rest/paths.ts'
import { problem } from '../rest/problem.ts'
import { createRest } from '../rest/rest.ts'
import { apiVersions } from '../rest/versions.ts'
import { type Authentication, type Context, CountedCaller, chargedTo, createContext } from '../schema/context.ts'
import { schema } from '../schema/schema.ts'
import type { App } from './app.ts'
import { Presence } from './connections.ts'
import { createGraphQL } from './graphql.ts'
import { refusedGraphQL } from './graphql-response.ts'
import { tooManyAtOnce } from './http-server.ts'
import { mediaTypeFor } from './media-type.ts'
import { demoFor } from './pages/demo-access.ts'
import { graphiQL } from './pages/graphiql.ts'
import { problemPage } from './pages/problem-page.ts'
import { RequestCaller } from './request-caller.ts'
import { RequestLine, requestIdOf } from './request-log.ts'
import { RequestTurns } from './request-turns.ts'
import { createResources } from './static/resources.ts'
import { TrustedDocuments } from './trusted-documents.ts'
import { UnreadResponses } from './unread-responses.ts'

const withoutSlash = (path: string) => path.replace(/(?<=.)\/$/, '')
const isRest = (path: string) => path === basePath || path.startsWith(`${basePath}/`)

type Request = {
  readonly message: IncomingMessage
  readonly method: string
  readonly path: string
  readonly search: string
  readonly requestId: string
  readonly caller: RequestCaller
  /** Whether an operation may have begun. */
  hasBegun: boolean
  /** What it spends; undefined for a page, and where rate limits are off. */
  budget: Budget | undefined
}

/** The refusal of a request that took too long. A write may still be done afterwards. */
function tookTooLong({ method, hasBegun }: Request): Refusal {
  if (!hasBegun || method === 'GET' || method === 'HEAD')
    return new Refusal('UNAVAILABLE', 'The request took too long. Try again later.')
  const message = 'The request took too long. If it writes, read the data to find out whether the write was applied.'
  return new Refusal('OUTCOME_UNKNOWN', message)
}

const readMethods = 'GET, HEAD, OPTIONS'

/** Serves a resource that is only read. Other methods get 405, or 204 for OPTIONS, with `Allow`. */
async function readOnly(
  { method, requestId }: Request,
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
  const { sessions, log } = app
  const { onlyTrustedDocuments = false, graphiql: hasGraphiQL = true, introspection = true } = app
  const offer = { hasGraphiQL, hasSchema: introspection }
  const turns = new RequestTurns()
  const executor = new Executor(schema, log, { introspection, nextTurn: (account) => turns.next(account) })
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

  function execute<T>(
    request: Request,
    authentication: Authentication,
    work: (context: Context) => Promise<T>,
  ): Promise<T> {
    const { message, caller, requestId, budget } = request
    const requester = new CountedCaller(authentication.session, caller)
    const start = () => {
      if (message.socket.destroyed) throw new Refusal('BAD_REQUEST', 'The client has disconnected.')
      if (caller.isAborted) throw tookTooLong(request)
      request.hasBegun = true
      return work(createContext(app, authentication, requestId, caller, budget, requester))
    }
    return authentication.session ? turns.ofAccount(requester, start) : turns.ofAddress(requester, start)
  }

  // What fails becomes a refusal, so that the response has the form of its surface.
  async function authenticationOf(request: Request): Promise<Authentication> {
    try {
      const authentication = await authenticate(request.message.headers.authorization, sessions)
      budgetOf(request, authentication.session)?.requirePoints()
      return authentication
    } catch (error) {
      budgetOf(request)
      return { refusal: refusalOf(error, request.requestId) }
    }
  }

  function budgetOf(request: Request, session?: Session): Budget | undefined {
    request.budget ??= app.budgets?.of(chargedTo(session, request.caller))
    return request.budget
  }

  /** The headers that tell what is left of a budget, after a refused request has spent its part. */
  async function budgetHeaders({ budget, method }: Request, status: number) {
    if (budget === undefined) return undefined
    if (method !== 'OPTIONS' && status < 500) await budget.settle()
    return rateLimitHeaders(await budget.balance())
  }

  function httpRequestOf(request: Request, authentication: Authentication): HttpRequest {
    const { message, method, path, search, requestId, caller } = request
    return {
      method,
      path,
      search,
      contentType: message.headers['content-type'],
      accept: message.headers.accept,
      idempotencyKey: message.headers['idempotency-key']?.toString(),
      ifMatch: message.headers['if-match'],
      ifNoneMatch: message.headers['if-none-match'],
      readBody: () => readBody(message),
      authentication,
      execute: (authentication, work) => execute(request, authentication, work),
      caller,
      requestId,
    }
  }

  async function handleGraphQL(request: Request): Promise<HttpResponse> {
    const { message, method, search, requestId } = request
    const { accept } = message.headers
    if (method === 'OPTIONS') {
      budgetOf(request)
      return optionsResponse('GET, HEAD, POST, OPTIONS')
    }
    try {
      const query = readQuery(search)
      if (hasGraphiQL && (method === 'GET' || method === 'HEAD') && accept?.includes('text/html')) {
        return graphiQL(query, demoFor(message, app.demo), offer)
      }
      return await graphql(httpRequestOf(request, await authenticationOf(request)), query)
    } catch (error) {
      return refusedGraphQL(refusalOf(error, requestId), mediaTypeFor(accept))
    }
  }

  function handleRest(request: Request, authentication: Authentication): Promise<HttpResponse> {
    const { requestId } = request
    budgetOf(request, authentication.session)
    return rest(httpRequestOf(request, authentication)).catch((error) =>
      problem(refusalOf(error, requestId), requestId, authentication.session),
    )
  }

  function refusalOf(error: unknown, requestId: string): Refusal {
    if (error instanceof Refusal) return error
    return unexpectedError(error, requestId, log)
  }

  /** Refuses a request that was not looked at, in the form of its surface. */
  async function refuse(request: Request, refusal: Refusal): Promise<HttpResponse> {
    const { message, path, requestId } = request
    if (withoutSlash(path) === '/graphql' || isRest(path)) budgetOf(request)
    if (withoutSlash(path) === '/graphql') return refusedGraphQL(refusal, mediaTypeFor(message.headers.accept))
    return isRest(path) ? handleRest(request, { refusal }) : problem(refusal, requestId)
  }

  async function handle(request: Request): Promise<HttpResponse> {
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
    if (isRest(path)) return problemPage(request.message, await handleRest(request, await authenticationOf(request)))
    const refusal = new Refusal('NOT_FOUND', 'Nothing was found at this path. See / for an overview.')
    return problemPage(request.message, problem(refusal, request.requestId))
  }

  return (message, response) => {
    const { method = 'GET', url = '/' } = message
    const queryAt = url.indexOf('?')
    const [path, search] = queryAt < 0 ? [url, ''] : [url.slice(0, queryAt), url.slice(queryAt)]
    const requestId = requestIdOf(message)
    const line = new RequestLine(log, { requestId, method, path })
    const caller = new RequestCaller(message, line, app.trustedProxies)
    const request: Request = { message, method, path, search, requestId, caller, hasBegun: false, budget: undefined }
    const late = setTimeout(() => {
      caller.abort()
      send(refuse(request, tookTooLong(request)))
    }, responseTimeout)
    response.once('close', () => {
      clearTimeout(late)
      if (!response.writableFinished) caller.abort()
    })

    const send = (pending: Promise<HttpResponse>) =>
      pending
        .catch((error) => problem(refusalOf(error, requestId), requestId))
        .then((answered) => compressor.encode(answered, message.headers))
        .then(async ({ status, headers, body, code }) => {
          const budget = await budgetHeaders(request, status)
          if (response.headersSent) return
          const isPreflight = method === 'OPTIONS' && message.headers['access-control-request-method'] !== undefined
          const cors = isPreflight ? preflightHeaders : {}
          const last = app.isStopping?.() ? { connection: 'close' } : {}
          writeResponse(response, requestId, { status, headers: { ...headers, ...budget, ...cors, ...last }, body })
          unread.watch(response)
          line.write({ status, code })
        })
        .catch((err) => {
          log.error({ err, requestId }, 'the response could not be written')
          response.destroy()
        })
    // Otherwise the connections of an address are counted, but those to a proxy are of many clients.
    const address = app.trustedProxies > 0 ? caller.clientAddress() : undefined
    if (address !== undefined && !inProgress.enter(address)) {
      send(refuse(request, tooManyAtOnce()))
      return
    }
    if (address !== undefined) response.once('close', () => inProgress.leave(address))
    send(handle(request))
  }
}
