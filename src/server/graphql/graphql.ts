import { type ErrorCode, Refusal } from '../../errors.ts'
import type { Executor } from '../../execution/executor.ts'
import { readJsonText } from '../../http/body.ts'
import { repeatableRequest } from '../../http/idempotency-key.ts'
import type { HttpRequest } from '../../http/request.ts'
import type { HttpResponse } from '../../http/response.ts'
import { graphQLResponse } from './graphql-response.ts'
import { mediaTypeFor } from './media-type.ts'
import { parametersInBody, parametersInUrl } from './parameters.ts'
import type { TrustedDocuments } from './trusted-documents.ts'

/** The refusals of a token, which only concern operations that require one. */
const tokenRefusals: ReadonlySet<ErrorCode> = new Set(['UNAUTHENTICATED', 'ACCOUNT_SUSPENDED'])

/** GraphQL over HTTP: `POST` with a JSON body, `GET` for queries. Rejects with a refusal for a request without an operation. */
export function createGraphQL(
  executor: Executor,
  documents: TrustedDocuments,
): (request: HttpRequest, query: URLSearchParams) => Promise<HttpResponse> {
  return async (request, query) => {
    const { method, accept, authentication, execute } = request
    const { refusal } = authentication
    if (refusal && !tokenRefusals.has(refusal.code)) throw refusal
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      throw new Refusal('METHOD_NOT_ALLOWED', 'GraphQL supports GET and POST only.')
    }
    const body = method === 'POST' ? await readJsonText(request) : undefined
    return execute(authentication, async (context) => {
      const parameters = body === undefined ? parametersInUrl(query) : parametersInBody(body)
      const operation = {
        ...(await documents.documentOf(parameters)),
        operationName: parameters.operationName ?? undefined,
        readOnly: method !== 'POST',
        repeatable: () =>
          repeatableRequest(request.idempotencyKey, context.session, { method, path: request.path, body }),
      }
      const answered = await executor.answer(operation, parameters.variables ?? {}, context)
      return graphQLResponse(answered, mediaTypeFor(accept), context.session)
    })
  }
}
