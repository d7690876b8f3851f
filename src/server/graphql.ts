import { isUtf8 } from 'node:buffer'
import { GraphQLError } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { errorCodes, Refusal } from '../errors.ts'
import type { Executor } from '../execution/executor.ts'
import { type Answer, json } from './answer.ts'
import { isJson } from './body.ts'
import { type GraphQLRequest, withHttp } from './graphql-status.ts'
import { answerPlain } from './plain-graphql.ts'

const wrongOperationName = new GraphQLError('operationName has to be a string.', {
  extensions: { code: 'BAD_REQUEST', http: { status: errorCodes.BAD_REQUEST.status } },
})

const servedTypes = /^[^,]*(?:\*\/\*|application\/(?:\*|json|graphql-response\+json))[^,]*(?:,|$)/
const answeredHeaders = new Set(['content-type', 'allow', 'www-authenticate'])

/** Runs operations in the one way there is; Yoga does around it what GraphQL over HTTP asks for. */
function useExecutor(executor: Executor): Plugin<object, { call: GraphQLRequest }> {
  return {
    onParams: ({ setParamsHandler }) => {
      setParamsHandler(async ({ params: { query = '', operationName, variables }, context: { call } }) => {
        // Yoga checks the types of the other parameters only.
        if (operationName != null && typeof operationName !== 'string') return { errors: [wrongOperationName] }
        const request = { source: query, operationName: operationName ?? undefined, readOnly: call.method !== 'POST' }
        return withHttp(await executor.answer(request, variables ?? {}, call.context), call)
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
    const body = method === 'POST' ? text(await request.body()) : undefined
    const plain = body === undefined ? undefined : await answerPlain(request, body, executor)
    if (plain) return plain
    // Whoever accepts nothing that is served here gets JSON all the same (RFC 9110, section 12.4.1); a stream is never asked for.
    const acceptable = accept && servedTypes.test(accept) ? accept : 'application/json'
    const headers = { accept: acceptable, ...(contentType && { 'content-type': contentType }) }
    const init = body === undefined ? { method: 'GET', headers } : { method, headers, body }
    const response = await yoga.fetch(`http://localhost${url}`, init, { call: request })
    // Of the others, `write` decides.
    const kept = [...response.headers].filter(([name]) => answeredHeaders.has(name))
    return { status: response.status, headers: Object.fromEntries(kept), body: await response.text() }
  }
}
