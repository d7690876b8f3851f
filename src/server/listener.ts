import { randomUUID } from 'node:crypto'
import type { IncomingMessage, RequestListener } from 'node:http'
import type { Session } from '../domain/sessions.ts'
import { Refusal } from '../errors.ts'
import { Executor } from '../execution/executor.ts'
import { unforeseen } from '../execution/mask.ts'
import type { Log } from '../log.ts'
import { basePath } from '../rest/paths.ts'
import { problem } from '../rest/problem.ts'
import { readQuery } from '../rest/query.ts'
import { createRest } from '../rest/rest.ts'
import { apiVersions } from '../rest/route.ts'
import { type Caller, type Context, createContext, type Service, unauthenticated } from '../schema/context.ts'
import { schema } from '../schema/schema.ts'
import { type Answer, methods, preflight, write } from './answer.ts'
import { authenticate, type Bearer } from './bearer.ts'
import { readBody } from './body.ts'
import { clientAddress } from './client-address.ts'
import { createDocuments } from './documents/documents.ts'
import { createGraphQL, refusedGraphQL } from './graphql.ts'
import { type DemoAccess, demoFor } from './pages/demo-access.ts'
import { graphiQL } from './pages/graphiql.ts'
import { type Patience, patience } from './patience.ts'
import { UnreadAnswers } from './unread-answers.ts'

/** What a listener serves. */
export type App = Service & {
  readonly log: Log
  /** The demo, to which browsers of this machine get access. */
  readonly demo?: DemoAccess | undefined
  readonly isStopping?: () => boolean
  /** How many reverse proxies stand in front, each of which adds to `X-Forwarded-For`. */
  readonly trustedProxies: number
  /** Whether the event loop cannot keep up, so that only health is answered. */
  readonly isBehind?: () => boolean
  readonly patience?: Pick<Patience, 'answer' | 'read'>
}

const withoutSlash = (path: string) => path.replace(/(?<=.)\/$/, '')
const isRest = (path: string) => path === basePath || path.startsWith(`${basePath}/`)

const missingToken = unauthenticated()

type Request = {
  readonly message: IncomingMessage
  readonly method: string
  readonly path: string
  readonly search: string
  readonly requestId: string
  readonly caller: Caller
  /** Whether an operation may have begun. */
  hasBegun: boolean
}

/** The refusal of a request that was not answered in time. Of what may write, nobody knows whether it still will. */
function tookTooLong({ method, hasBegun }: Request): Refusal {
  if (!hasBegun || method === 'GET' || method === 'HEAD')
    return new Refusal('UNAVAILABLE', 'This takes too long: try again later.')
  const message = 'This takes too long. If it writes, read what it writes to find out whether that was done.'
  return new Refusal('OUTCOME_UNKNOWN', message)
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
  const rest = createRest(executor)
  const waits = app.patience ?? patience
  const unread = new UnreadAnswers(waits.read)

  function contextOf(request: Request, session: Session | undefined): Context {
    if (request.message.socket.destroyed) throw new Refusal('BAD_REQUEST', 'The client has left.')
    request.hasBegun = true
    return createContext(app, session, request.requestId, request.caller)
  }

  // As a refusal, a look-up that fails is answered like every refusal, in the form of its surface.
  function bearerOf({ headers }: IncomingMessage, requestId: string): Promise<Bearer> {
    const failed = (error: unknown) => ({ session: refusalOf(error, requestId), challenge: '' })
    return authenticate(headers.authorization, sessions).catch(failed)
  }

  async function answerGraphQL(request: Request): Promise<Answer> {
    const { message, method, search, requestId } = request
    const { accept } = message.headers
    if (method === 'OPTIONS') return { status: 204, headers: { allow: 'GET, HEAD, POST, OPTIONS' }, body: undefined }
    let challenge = ''
    try {
      const query = readQuery(search)
      if ((method === 'GET' || method === 'HEAD') && accept?.includes('text/html')) {
        return graphiQL(query, demoFor(message, app.demo))
      }
      const bearer = await bearerOf(message, requestId)
      const { session } = bearer
      challenge = bearer.challenge
      if (session instanceof Refusal) throw session
      const viewer = session === 'missing' ? undefined : session
      return await graphql({
        method,
        query,
        contentType: message.headers['content-type'],
        accept,
        body: () => readBody(message),
        session: viewer,
        challenge,
        context: contextOf(request, viewer),
      })
    } catch (error) {
      return refusedGraphQL(refusalOf(error, requestId), { challenge, accept })
    }
  }

  async function answerRest(asked: Request, { session, challenge }: Bearer): Promise<Answer> {
    const { message, method, path, search, requestId } = asked
    const request = {
      method,
      path: path.slice(basePath.length),
      search,
      contentType: message.headers['content-type'],
      body: () => readBody(message),
      session: session === 'missing' ? missingToken : session,
      challenge,
      contextOf: (session: Session) => contextOf(asked, session),
      requestId,
    }
    return rest(request).catch((error) => problem(refusalOf(error, requestId), request))
  }

  function refusalOf(error: unknown, requestId: string): Refusal {
    if (error instanceof Refusal) return error
    return unforeseen(error, requestId, log)
  }

  /** Refuses a request of which nothing was looked at, in the form of its surface. */
  async function refuse(request: Request, refusal: Refusal): Promise<Answer> {
    const bearer = { session: refusal, challenge: '' }
    const { accept } = request.message.headers
    if (withoutSlash(request.path) === '/graphql') return refusedGraphQL(refusal, { ...bearer, accept })
    return isRest(request.path)
      ? answerRest(request, bearer)
      : problem(refusal, { ...bearer, requestId: request.requestId })
  }

  async function answer(request: Request): Promise<Answer> {
    if (request.path === '*') return { status: 204, headers: { allow: methods }, body: undefined }
    const path = withoutSlash(request.path)
    if (app.isBehind?.() && !path.startsWith('/health/')) {
      return refuse(request, new Refusal('UNAVAILABLE', 'The server cannot keep up: try again later.'))
    }
    if (path === '/graphql') return answerGraphQL(request)
    const document = await documentAt(path)
    if (document) {
      const { headers, ...rest } = await forReads(request, () => document(request.message))
      return { ...rest, headers: { ...headers, ...(isRest(path) ? { 'api-version': apiVersions.posts } : {}) } }
    }
    if (isRest(path)) return answerRest(request, await bearerOf(request.message, request.requestId))
    throw new Refusal('NOT_FOUND', 'There is nothing here: / tells what is where.')
  }

  return (message, response) => {
    const { method = 'GET', url = '/' } = message
    const queryAt = url.indexOf('?')
    const [path, search] = queryAt < 0 ? [url, ''] : [url.slice(0, queryAt), url.slice(queryAt)]
    const requestId = randomUUID()
    const leaving = new AbortController()
    const caller = {
      clientAddress: () => clientAddress(message, app.trustedProxies),
      get signal() {
        return leaving.signal
      },
    }
    const request: Request = { message, method, path, search, requestId, caller, hasBegun: false }
    const late = setTimeout(() => {
      leaving.abort()
      send(refuse(request, tookTooLong(request)))
    }, waits.answer)
    response.once('close', () => {
      clearTimeout(late)
      if (!response.writableFinished) leaving.abort()
    })

    const send = (answered: Promise<Answer>) =>
      answered
        .catch((error) => problem(refusalOf(error, requestId), { challenge: '', requestId }))
        .then(({ status, headers, body }) => {
          if (response.headersSent) return
          const asked = message.headers['access-control-request-method'] !== undefined
          const cors = method === 'OPTIONS' && asked ? preflight : {}
          const last = app.isStopping?.() ? { connection: 'close' } : {}
          write(response, requestId, { status, headers: { ...headers, ...cors, ...last }, body })
          unread.watch(response)
          log.debug({ requestId, method, path, status }, 'answered')
        })
        .catch((err) => {
          log.error({ err, requestId }, 'the answer could not be written')
          response.destroy()
        })
    send(answer(request))
  }
}
