import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { GraphQLError } from 'graphql'
import { isAsyncIterable } from 'graphql-yoga'
import { Refusal } from '../errors.ts'
import { graphQLError, isMasked, maskError } from '../execution/mask.ts'
import { runOperation } from '../execution/pipeline.ts'
import { answerOtherMethods } from '../http/allowed-methods.ts'
import type { Api } from '../http/api.ts'
import { repeatableIn } from '../http/idempotency-key.ts'
import { addIdentity } from '../http/identity.ts'
import { acceptJson } from '../http/json-body.ts'
import { positionIn } from '../http/position.ts'
import { refusalIn } from '../http/refusal-of-request.ts'
import { addBudget } from '../http/request-budget.ts'
import { type HttpResponse, sendResponse } from '../http/response.ts'
import type { Log } from '../log.ts'
import { Context } from '../schema/context.ts'
import { readAccept } from './accept.ts'
import { eventsResponse, type Outcome } from './event-stream.ts'
import { findOperation } from './find-operation.ts'
import { resultResponse } from './respond.ts'
import { subscribe } from './subscribe.ts'
import type { TrustedDocuments } from './trusted-documents.ts'

/** Makes the page of GraphiQL. */
export type GraphiQLPage = (request: FastifyRequest) => Promise<HttpResponse>

/**
 * `/graphql`: `POST` with a JSON body, `GET` for queries (GraphQL over HTTP), and GraphiQL for browsers. Its page needs no token, and costs
 * nothing; it is undefined where browsers get none.
 */
export async function addGraphQL(
  scope: FastifyInstance,
  api: Api,
  trusted: TrustedDocuments,
  page: GraphiQLPage | undefined,
): Promise<void> {
  const { service, budgets, log } = api
  scope.setErrorHandler(async (error, request, reply) => {
    const refusal = refusalIn(error, request, log)
    const result = { errors: [graphQLError(refusal, 'request')] }
    request.notes.code ??= refusal.code
    return sendResponse(reply, await resultResponse(result, readAccept(request.headers.accept), api.pipeline))
  })
  scope.addHook('onRequest', (request, reply, done) => {
    const { method, raw } = request
    const isRead = method === 'GET' || method === 'HEAD'
    if (!page || !isRead || !readAccept(raw.headers.accept).prefersHtml) return done()
    page(request).then((response) => sendResponse(reply, response), done)
  })
  addIdentity(scope, service.sessions)
  if (budgets) addBudget(scope, budgets)
  const [url, methods] = ['/graphql', ['GET', 'HEAD', 'POST']]
  answerOtherMethods(scope, { url, methods, what: 'GraphQL' })
  await scope.register(async (json) => {
    acceptJson(json)
    json.route({ method: methods, url, handler: answerWith(api, trusted) })
  })
}

/** The handler that finds the operation of a request, runs it, and responds with its result. */
const answerWith = (api: Api, trusted: TrustedDocuments) =>
  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { method, notes, raw } = request
    const accepted = readAccept(raw.headers.accept)
    let outcome: Outcome
    let isSubscription = false
    try {
      const asked = await findOperation(api.documents, trusted, request)
      isSubscription = 'operation' in asked && asked.operation.operation.operation === 'subscription'
      if ('errors' in asked) outcome = asked
      else if (isSubscription) outcome = await subscribe(api, asked, request, accepted)
      else {
        const asking = { after: positionIn(raw.headers), repeatable: () => repeatableIn(request) }
        const context = new Context(api.service, request, asked.operation, asking)
        outcome = await runOperation(api.pipeline, context, asked.variables)
      }
    } catch (error) {
      outcome = { errors: [errorOf(error, request.id, api.log)] }
    }
    if (!isAsyncIterable(outcome)) {
      notes.code ??= outcome.errors?.[0]?.extensions.code
      const isOfEvents = accepted.takesOnlyEvents || (accepted.takesEvents && isSubscription)
      if (!isOfEvents || method === 'HEAD')
        return sendResponse(reply, await resultResponse(outcome, accepted, api.pipeline))
    }
    return sendResponse(reply, eventsResponse(outcome, api.pipeline))
  }

/** The error of a request whose operation did not run. */
function errorOf(error: unknown, requestId: string, log: Log): GraphQLError {
  if (isMasked(error)) return error
  return error instanceof Refusal ? graphQLError(error, 'request') : maskError(error, 'operation', requestId, log)
}
