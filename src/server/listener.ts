import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import { Refusal } from '../errors.ts'
import { Executor } from '../execution/executor.ts'
import { unforeseen } from '../execution/mask.ts'
import type { Log } from '../log.ts'
import { problem } from '../rest/problem.ts'
import { createRest } from '../rest/rest.ts'
import { createContext, type Service, unauthenticated } from '../schema/context.ts'
import { schema } from '../schema/schema.ts'
import { type Answer, preflight, write } from './answer.ts'
import { authenticate, type Bearer } from './bearer.ts'
import { readBody } from './body.ts'
import { createGraphQL, refusedGraphQL } from './graphql.ts'
import { live, ready } from './health.ts'
import { createOpenApi } from './openapi.ts'
import { assetsBase, findAsset } from './pages/assets.ts'
import { docs } from './pages/docs.ts'
import { type DemoAccess, graphiQL } from './pages/graphiql.ts'
import { landing } from './pages/landing.ts'
import { schemaText } from './pages/schema-text.ts'

/** What a listener serves. */
export type App = Service & {
  readonly log: Log
  /** The demo, to which browsers of this machine get access. */
  readonly demo?: DemoAccess | undefined
  readonly isStopping?: () => boolean
}

const restBase = '/api/v1'
const isRest = (path: string) => path === restBase || path.startsWith(`${restBase}/`)
const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

const missingToken = unauthenticated()

type Request = {
  readonly message: IncomingMessage
  readonly method: string
  readonly path: string
  readonly search: string
  readonly requestId: string
}

const reads = 'GET, HEAD, OPTIONS'

/** Answers what is only read; other methods get 405, or 204 for OPTIONS, with `Allow`. */
async function forReads({ method, requestId }: Request, read: () => Answer | Promise<Answer>): Promise<Answer> {
  if (method === 'GET' || method === 'HEAD') return read()
  if (method === 'OPTIONS') return { status: 204, headers: { allow: reads }, body: undefined }
  const refusal = new Refusal('METHOD_NOT_ALLOWED', `This path allows ${reads} only.`)
  const { headers, ...rest } = problem(refusal, { challenge: '', requestId })
  return { ...rest, headers: { ...headers, allow: reads } }
}

/** Whether a page may have the demo's token: one that a browser of this machine asked for itself. */
function isOwn({ headers }: IncomingMessage): boolean {
  const isForwarded = ['origin', 'forwarded', 'via', 'x-forwarded-for', 'x-forwarded-host'].some(
    (name) => name in headers,
  )
  // Neither a script of another site must get it, nor a site that was made to resolve to this machine, nor who comes by a proxy.
  return !isForwarded && loopback.test(headers.host ?? '')
}

/** The listener of the service: pages and documents, health, GraphQL, REST. Throws when a document of the REST table does not fit the schema. */
export function createListener(app: App): RequestListener {
  const { database, sessions, log } = app
  const executor = new Executor(schema, log)
  const graphql = createGraphQL(executor)
  const openApi = createOpenApi(executor)
  const rest = createRest(executor, (session, requestId) => createContext(app, session, requestId))

  const demoFor = (message: IncomingMessage) => (isOwn(message) ? app.demo : undefined)
  /** What is only read, and needs no token. */
  const documents = new Map<string, (message: IncomingMessage) => Answer | Promise<Answer>>([
    ['/', ({ headers }) => landing.answer(headers)],
    ['/schema.graphql', ({ headers }) => schemaText.answer(headers)],
    [`${restBase}/openapi.json`, ({ headers }) => openApi.answer(headers)],
    [`${restBase}/docs`, (message) => docs(demoFor(message)?.token)],
    ['/health/live', live],
    ['/health/ready', () => ready(database, app.isStopping?.() ?? false)],
  ])

  // As a refusal, a look-up that fails is answered like every refusal, in the form of its surface.
  function bearerOf({ headers }: IncomingMessage, requestId: string): Promise<Bearer> {
    const failed = (error: unknown) => ({ session: refusalOf(error, requestId), challenge: '' })
    return authenticate(headers.authorization, sessions).catch(failed)
  }

  async function answerGraphQL({ message, method, search, requestId }: Request): Promise<Answer> {
    const { accept } = message.headers
    if (method === 'OPTIONS') return { status: 204, headers: { allow: 'GET, HEAD, POST, OPTIONS' }, body: undefined }
    if (method === 'GET' && accept?.includes('text/html')) {
      return graphiQL(new URLSearchParams(search), demoFor(message))
    }
    const { session, challenge } = await bearerOf(message, requestId)
    try {
      if (session instanceof Refusal) throw session
      const viewer = session === 'missing' ? undefined : session
      return await graphql({
        method,
        url: `/graphql${search}`,
        contentType: message.headers['content-type'],
        accept,
        body: () => readBody(message),
        session: viewer,
        challenge,
        context: createContext(app, viewer, requestId),
      })
    } catch (error) {
      return refusedGraphQL(refusalOf(error, requestId), { challenge })
    }
  }

  async function answerRest({ message, method, path, search, requestId }: Request): Promise<Answer> {
    const { session, challenge } = await bearerOf(message, requestId)
    const request = {
      method,
      path: path.slice(restBase.length),
      query: new URLSearchParams(search),
      contentType: message.headers['content-type'],
      body: () => readBody(message),
      session: session === 'missing' ? missingToken : session,
      challenge,
      requestId,
    }
    return rest(request).catch((error) => problem(refusalOf(error, requestId), request))
  }

  function refusalOf(error: unknown, requestId: string): Refusal {
    if (error instanceof Refusal) return error
    return unforeseen(error, requestId, log)
  }

  async function answer(request: Request): Promise<Answer> {
    const path = request.path.replace(/(?<=.)\/$/, '')
    const document = documents.get(path)
    if (document) {
      const { headers, ...rest } = await forReads(request, () => document(request.message))
      return { ...rest, headers: { ...headers, ...(isRest(path) ? { 'api-version': 'V26.07.22' } : {}) } }
    }
    if (path === '/graphql') return answerGraphQL(request)
    if (isRest(path)) return answerRest(request)
    const asset = path.startsWith(assetsBase) ? await findAsset(path, request.message.headers) : undefined
    if (asset) return forReads(request, () => asset)
    throw new Refusal('NOT_FOUND', 'There is nothing here: / tells what is where.')
  }

  return (message, response) => {
    const { method = 'GET', url = '/' } = message
    const queryAt = url.indexOf('?')
    const [path, search] = queryAt < 0 ? [url, ''] : [url.slice(0, queryAt), url.slice(queryAt)]
    const requestId = randomUUID()
    answer({ message, method, path, search, requestId })
      .catch((error) => problem(refusalOf(error, requestId), { challenge: '', requestId }))
      .then(({ status, headers, body }) => {
        const asked = message.headers['access-control-request-method'] !== undefined
        const cors = method === 'OPTIONS' && asked ? preflight : {}
        const last = app.isStopping?.() ? { connection: 'close' } : {}
        write(response, requestId, { status, headers: { ...headers, ...cors, ...last }, body })
        log.debug({ requestId, method, path, status }, 'answered')
      })
      .catch((err) => {
        log.error({ err, requestId }, 'the answer could not be written')
        response.destroy()
      })
  }
}
