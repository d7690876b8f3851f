import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { isAsyncIterable } from 'graphql-yoga'
import { Refusal } from '../errors.ts'
import { graphQLError, requestError } from '../execution/mask.ts'
import { runOperation } from '../execution/pipeline.ts'
import { RequestContext } from '../execution/request-context.ts'
import { answerOtherMethods } from '../http/allowed-methods.ts'
import type { ApiServices } from '../http/api-services.ts'
import { repeatableIn } from '../http/idempotency-key.ts'
import { acceptJson } from '../http/json-body.ts'
import { positionIn } from '../http/position.ts'
import { refusalIn } from '../http/problem.ts'
import { addBudget } from '../http/request-budget.ts'
import { type HttpResponse, sendResponse } from '../http/response.ts'
import { refuseTags } from '../http/static-text.ts'
import { readQuery } from '../http/url.ts'
import { addViewer } from '../http/viewer.ts'
import { findOperation, parametersIn, parametersInUrl, type TrustedDocuments } from './find-operation.ts'
import { acceptedBy, eventsResponse, type OperationResult, resultResponse } from './respond.ts'
import { subscribe } from './subscribe.ts'

/** Makes the page of GraphiQL. */
export type GraphiQLPage = (request: FastifyRequest) => Promise<HttpResponse>

/**
 * `/graphql`: `POST` with a JSON body, `GET` for queries (GraphQL over HTTP), and GraphiQL for browsers. Its page needs no token, and costs
 * nothing; it is undefined where browsers get none.
 */
export async function addGraphQL(
  scope: FastifyInstance,
  services: ApiServices,
  trusted: TrustedDocuments,
  page: GraphiQLPage | undefined,
): Promise<void> {
  const { viewers, budgets, log } = services
  scope.decorateRequest('accepted')
  scope.setErrorHandler(async (error, request, reply) => {
    const refusal = refusalIn(error, request, log)
    const result = { errors: [graphQLError(refusal, 'request')] }
    request.logEntry.report({ code: refusal.code })
    return sendResponse(reply, await resultResponse(result, acceptedBy(request), services.pipeline))
  })
  scope.addHook('onRequest', (request, reply, done) => {
    const isRead = request.method === 'GET' || request.method === 'HEAD'
    if (!page || !isRead || !acceptedBy(request).prefersHtml) return done()
    page(request).then((response) => sendResponse(reply, response), done)
  })
  addViewer(scope, viewers)
  addBudget(scope, budgets)
  const [url, methods] = ['/graphql', ['GET', 'HEAD', 'POST']]
  answerOtherMethods(scope, { url, methods, what: 'GraphQL' })
  await scope.register(async (json) => {
    acceptJson(json)
    json.route({ method: methods, url, handler: answerWith(services, trusted) })
  })
}

/** The handler that finds the operation of a request, runs it, and responds with its result. */
const answerWith = (services: ApiServices, trusted: TrustedDocuments) =>
  async function answer(request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
    const { method, logEntry, raw, body } = request
    const accepted = acceptedBy(request)
    let outcome: OperationResult
    let isSubscription = false
    try {
      refuseTags(raw.headers)
      const parameters = method === 'POST' ? parametersIn(body) : parametersInUrl(readQuery(raw))
      const asked = await findOperation(services.documents, trusted, request, parameters)
      const kind = 'operation' in asked ? asked.operation.operation.operation : undefined
      isSubscription = kind === 'subscription'
      if (kind === 'mutation' && method !== 'POST') {
        const refusal = new Refusal('METHOD_NOT_ALLOWED', 'Send mutations with POST.', { headers: { allow: 'POST' } })
        throw graphQLError(refusal, 'operation')
      }
      if ('errors' in asked) outcome = asked
      else if (isSubscription) outcome = await subscribe(services, asked, request, accepted)
      else {
        const options = { after: positionIn(raw.headers), repeatable: () => repeatableIn(request) }
        const context = new RequestContext(services, request, asked.operation, options)
        outcome = await runOperation(services.pipeline, context, asked.variables)
      }
    } catch (error) {
      outcome = { errors: [requestError(error, request.id, services.log)] }
    }
    if (!isAsyncIterable(outcome)) {
      logEntry.report({ code: outcome.errors?.[0]?.extensions.code })
      const isOfEvents = accepted.takesOnlyEvents || (accepted.takesEvents && isSubscription)
      if (!isOfEvents || method === 'HEAD')
        return sendResponse(reply, await resultResponse(outcome, accepted, services.pipeline))
    }
    return sendResponse(reply, eventsResponse(outcome, services.pipeline))
  }
