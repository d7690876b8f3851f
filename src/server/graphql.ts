import { isUtf8 } from 'node:buffer'
import type { ExecutionResult } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import type { Session } from '../domain/sessions.ts'
import { errorCodes, Refusal } from '../errors.ts'
import type { Executor } from '../execution/executor.ts'
import { insufficientScopeChallenge } from '../rest/problem.ts'
import type { Context } from '../schema/context.ts'
import { type Answer, json } from './answer.ts'
import { isJson } from './body.ts'

/** What the listener knows of a request to `/graphql`. */
export type GraphQLRequest = {
  readonly method: string
  readonly url: string
  readonly contentType: string | undefined
  readonly accept: string | undefined
  /** Reads the body; rejects with the refusal `PAYLOAD_TOO_LARGE`. */
  readonly body: () => Promise<Buffer>
  readonly session: Session | undefined
  /** The `WWW-Authenticate` of an `UNAUTHENTICATED` answer (RFC 6750, section 3). */
  readonly challenge: string
  readonly context: Context
}

/**
 * How a refusal looks in HTTP. A fault of the document keeps 200 for clients that ask for `application/json`, as GraphQL over HTTP
 * (section 6.4.1) has it.
 */
function httpOf({ code, requiredScopes = [] }: Refusal, { challenge, session }: GraphQLRequest) {
  const { status } = errorCodes[code]
  if (code === 'UNAUTHENTICATED') return { status, headers: { 'www-authenticate': challenge } }
  if (code === 'INSUFFICIENT_SCOPE') {
    return { status, headers: { 'www-authenticate': insufficientScopeChallenge(requiredScopes, session) } }
  }
  if (code === 'METHOD_NOT_ALLOWED') return { status, headers: { allow: 'POST' } }
  return status >= 500 ? { status } : { status: 400, spec: true }
}

/** The answer, whose status also says that it was refused as a whole when it was. */
function withStatus(result: ExecutionResult, request: GraphQLRequest): ExecutionResult {
  if ('data' in result) return result
  for (const { extensions, originalError } of result.errors ?? []) {
    if (originalError instanceof Refusal) extensions.http = httpOf(originalError, request)
  }
  return result
}

/** Runs operations in the one way there is; Yoga does around it what GraphQL over HTTP asks for. */
function useExecutor(executor: Executor): Plugin<object, { call: GraphQLRequest }> {
  return {
    onParams: ({ setParamsHandler }) => {
      setParamsHandler(async ({ params: { query = '', operationName, variables }, context: { call } }) => {
        const request = { source: query, operationName: operationName ?? undefined, readOnly: call.method !== 'POST' }
        return withStatus(await executor.answer(request, variables ?? {}, call.context), call)
      })
    },
  }
}

/** An answer to a request that was refused before it came to an operation. */
export function refusedGraphQL(refusal: Refusal, request: Pick<GraphQLRequest, 'challenge'>): Answer {
  const { code, message } = refusal
  const headers: Record<string, string> = code === 'UNAUTHENTICATED' ? { 'www-authenticate': request.challenge } : {}
  if (code === 'METHOD_NOT_ALLOWED') headers.allow = 'GET, HEAD, POST, OPTIONS'
  return json(errorCodes[code].status, { errors: [{ message, extensions: { code } }] }, headers)
}

/** The text of a body. Throws `BAD_REQUEST` for what is not UTF-8, which JSON has to be (RFC 8259, section 8.1). */
function text(body: Buffer): string {
  if (!isUtf8(body)) throw new Refusal('BAD_REQUEST', 'The body is not UTF-8.')
  return body.toString()
}

/** GraphQL over HTTP: `POST` with a JSON body, `GET` for queries. */
export function createGraphQL(executor: Executor): (request: GraphQLRequest) => Promise<Answer> {
  const yoga = createYoga<{ call: GraphQLRequest }>({
    plugins: [useExecutor(executor)],
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    maskedErrors: false,
    multipart: false,
    parserAndValidationCache: false,
  })
  return async (request) => {
    const { method, url, contentType, accept } = request
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      throw new Refusal('METHOD_NOT_ALLOWED', 'GraphQL takes GET and POST.')
    }
    if (method === 'POST' && !isJson(contentType)) {
      throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json.')
    }
    const headers = { ...(accept && { accept }), ...(contentType && { 'content-type': contentType }) }
    const init = method === 'POST' ? { method, headers, body: text(await request.body()) } : { method: 'GET', headers }
    const response = await yoga.fetch(`http://localhost${url}`, init, { call: request })
    return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
  }
}
