import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { type ErrorCode, errorCodes, type Refusal } from '../errors.ts'
import { answerOtherMethods } from '../http/allowed-methods.ts'
import { repeatableRequest } from '../http/idempotency-key.ts'
import { acceptJson } from '../http/json-body.ts'
import { refusalIn } from '../http/refusal-of-request.ts'
import { sendResponse } from '../http/response.ts'
import type { Documents } from '../operations/documents.ts'
import { answerKnown, httpResponse } from './answer-known.ts'
import { eventsFor, mediaTypeFor, prefersHtml } from './media-type.ts'
import type { GraphQLContext } from './use-parameters.ts'
import type { GraphQLServer } from './yoga.ts'

type Parts = {
  readonly yoga: GraphQLServer
  readonly documents: Documents
  /** Whether browsers get GraphiQL. It needs no token, and costs nothing. */
  readonly hasGraphiQL: boolean
}

/** What Yoga gets of a request that Fastify has routed and parsed, whatever its `Host` and path. */
const routed = { url: '/graphql', headers: { host: 'localhost', 'content-type': 'application/json' }, body: '{}' }

const wantsPage = ({ method, raw: { headers } }: FastifyRequest) =>
  (method === 'GET' || method === 'HEAD') && prefersHtml(headers.accept)

/** The refusals of a token, which only concern operations that require one. */
const tokenRefusals: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'])

/** `/graphql`: `POST` with a JSON body, `GET` for queries (GraphQL over HTTP), and GraphiQL for browsers. */
export async function addGraphQL(scope: FastifyInstance, parts: Parts): Promise<void> {
  scope.setErrorHandler((error, request, reply) => refuse(refusalIn(error, request), request, reply))
  scope.addHook('onRequest', async (request) => {
    const { served, method } = request
    if (parts.hasGraphiQL && wantsPage(request)) return
    if (method === 'OPTIONS') served.chargeTo(undefined)
    else await served.authenticate()
    const { refusal } = served.authentication
    if (refusal && !tokenRefusals.has(refusal.code)) throw refusal
  })
  const [url, methods] = ['/graphql', ['GET', 'HEAD', 'POST']]
  answerOtherMethods(scope, { url, methods, what: 'GraphQL' })
  await scope.register(async (json) => {
    acceptJson(json)
    json.route({ method: methods, url, handler: (request, reply) => answer(parts, request, reply) })
  })
}

async function answer(
  { yoga, documents, hasGraphiQL }: Parts,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const { served, raw, body, bodyText } = request
  const { query, path } = served
  const { accept } = raw.headers
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const repeatable = () =>
    repeatableRequest(raw.headers['idempotency-key']?.toString(), served.authentication.session, {
      method,
      path,
      body: bodyText,
    })
  const context: GraphQLContext = {
    ...served.context(repeatable),
    caller: served,
    readOnly: method === 'GET',
    isBrowser: hasGraphiQL && wantsPage(request),
    sent: method === 'GET' ? { query } : { body },
  }
  const mediaType = mediaTypeFor(accept)
  const response =
    (eventsFor(accept).isOnly ? undefined : await answerKnown(yoga, documents, context, mediaType)) ??
    (await httpResponse(
      await yoga.handleNodeRequest({ ...routed, method, headers: { ...routed.headers, accept: mediaType } }, context),
    ))
  return sendResponse(reply, response)
}

/** The response to a request that was refused before its operation was known. */
function refuse(refusal: Refusal, { served, raw }: FastifyRequest, reply: FastifyReply): FastifyReply {
  const { code, message, headers } = refusal
  served.noteCode(code)
  return sendResponse(reply, {
    status: errorCodes[code].status,
    headers: { 'content-type': `${mediaTypeFor(raw.headers.accept)}; charset=utf-8`, ...headers },
    body: JSON.stringify({ errors: [{ message, extensions: { code } }] }),
  })
}
