import type { IncomingMessage, RequestListener } from 'node:http'
import { v7 as newId } from 'uuid'
import { Refusal } from '../errors.ts'
import { Executor } from '../execution/executor.ts'
import type { Log } from '../log.ts'
import { problem } from '../rest/problem.ts'
import { createRest } from '../rest/rest.ts'
import { createContext, type Service, unauthenticated } from '../schema/context.ts'
import { schema } from '../schema/schema.ts'
import { type Answer, preflight, write } from './answer.ts'
import { authenticate } from './bearer.ts'
import { readBody } from './body.ts'
import { type DemoAccess, graphiQL } from './graphiql.ts'
import { createGraphQL, refusedGraphQL } from './graphql.ts'
import { live, ready } from './health.ts'

/** What a listener serves. */
export type App = Service & {
  readonly log: Log
  /** The demo, to which browsers of this machine get access. */
  readonly demo?: DemoAccess | undefined
  readonly isStopping?: () => boolean
}

const restBase = '/api/v1'
const loopback = /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/

const missingToken = unauthenticated()

type Request = {
  readonly message: IncomingMessage
  readonly method: string
  readonly path: string
  readonly search: string
  readonly requestId: string
}

/** The listener of the service: health, GraphiQL, GraphQL, REST. Throws when a document of the REST table does not fit the schema. */
export function createListener(app: App): RequestListener {
  const { database, sessions, log } = app
  const executor = new Executor(schema, log)
  const graphql = createGraphQL(executor)
  const rest = createRest(executor, (session, requestId) => createContext(app, session, requestId))

  async function answerGraphQL({ message, method, search, requestId }: Request): Promise<Answer> {
    const { accept, host = '', origin } = message.headers
    if (method === 'OPTIONS') return { status: 204, headers: { allow: 'GET, HEAD, POST, OPTIONS' }, body: undefined }
    if (method === 'GET' && accept?.includes('text/html')) {
      // Neither a script of another site must get the token, nor a site that was made to resolve to this machine.
      const isOwn = origin === undefined && loopback.test(host)
      return graphiQL(new URLSearchParams(search), isOwn ? app.demo : undefined)
    }
    const { session, challenge } = await authenticate(message.headers.authorization, sessions)
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
    const { session, challenge } = await authenticate(message.headers.authorization, sessions)
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
    log.error({ err: error, requestId }, 'unexpected error')
    return new Refusal('INTERNAL', `Something went wrong here. It is logged as ${requestId}.`)
  }

  async function answer(request: Request): Promise<Answer> {
    const { path, method, requestId } = request
    if (path === '/graphql') return answerGraphQL(request)
    if (path === restBase || path.startsWith(`${restBase}/`)) return answerRest(request)
    const isRead = method === 'GET' || method === 'HEAD'
    if (path === '/health/live' && isRead) return live()
    if (path === '/health/ready' && isRead) return ready(database, app.isStopping?.() ?? false)
    const refusal = new Refusal('NOT_FOUND', 'There is nothing here: see /graphql and /api/v1.')
    return problem(refusal, { challenge: '', requestId })
  }

  return (message, response) => {
    const { method = 'GET', url = '/' } = message
    const queryAt = url.indexOf('?')
    const [path, search] = queryAt < 0 ? [url, ''] : [url.slice(0, queryAt), url.slice(queryAt)]
    const requestId = newId()
    answer({ message, method, path, search, requestId })
      .catch((error) => problem(refusalOf(error, requestId), { challenge: '', requestId }))
      .then(({ status, headers, body }) => {
        const asked = message.headers['access-control-request-method'] !== undefined
        const all = method === 'OPTIONS' && asked ? { ...headers, ...preflight } : headers
        write(response, requestId, { status, headers: all, body })
        log.debug({ requestId, method, path, status }, 'answered')
      })
      .catch((err) => {
        log.error({ err, requestId }, 'the answer could not be written')
        response.destroy()
      })
  }
}
