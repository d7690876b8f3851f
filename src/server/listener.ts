import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import { Refusal } from '../errors.ts'
import { Executor } from '../execution/executor.ts'
import { unforeseen } from '../execution/mask.ts'
import type { Log } from '../log.ts'
import { basePath } from '../rest/paths.ts'
import { problem } from '../rest/problem.ts'
import { createRest } from '../rest/rest.ts'
import { apiVersions } from '../rest/route.ts'
import { createContext, type Service, unauthenticated } from '../schema/context.ts'
import { schema } from '../schema/schema.ts'
import { type Answer, preflight, write } from './answer.ts'
import { authenticate, type Bearer } from './bearer.ts'
import { readBody } from './body.ts'
import { createDocuments } from './documents/documents.ts'
import { createGraphQL, refusedGraphQL } from './graphql.ts'
import { type DemoAccess, demoFor } from './pages/demo-access.ts'
import { graphiQL } from './pages/graphiql.ts'

/** What a listener serves. */
export type App = Service & {
  readonly log: Log
  /** The demo, to which browsers of this machine get access. */
  readonly demo?: DemoAccess | undefined
  readonly isStopping?: () => boolean
}

const isRest = (path: string) => path === basePath || path.startsWith(`${basePath}/`)

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

/** The listener of the service: pages and documents, health, GraphQL, REST. Throws when a document of the REST table does not fit the schema. */
export function createListener(app: App): RequestListener {
  const { sessions, log } = app
  const executor = new Executor(schema, log)
  const graphql = createGraphQL(executor)
  const documentAt = createDocuments(app)
  const rest = createRest(executor, (session, requestId) => createContext(app, session, requestId))

  // As a refusal, a look-up that fails is answered like every refusal, in the form of its surface.
  function bearerOf({ headers }: IncomingMessage, requestId: string): Promise<Bearer> {
    const failed = (error: unknown) => ({ session: refusalOf(error, requestId), challenge: '' })
    return authenticate(headers.authorization, sessions).catch(failed)
  }

  async function answerGraphQL({ message, method, search, requestId }: Request): Promise<Answer> {
    const { accept } = message.headers
    if (method === 'OPTIONS') return { status: 204, headers: { allow: 'GET, HEAD, POST, OPTIONS' }, body: undefined }
    if ((method === 'GET' || method === 'HEAD') && accept?.includes('text/html')) {
      return graphiQL(new URLSearchParams(search), demoFor(message, app.demo))
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
      path: path.slice(basePath.length),
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
    if (path === '/graphql') return answerGraphQL(request)
    const document = await documentAt(path)
    if (document) {
      const { headers, ...rest } = await forReads(request, () => document(request.message))
      return { ...rest, headers: { ...headers, ...(isRest(path) ? { 'api-version': apiVersions.posts } : {}) } }
    }
    if (isRest(path)) return answerRest(request)
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
