import { GraphQLError } from 'graphql'
import { createYoga, type Plugin } from 'graphql-yoga'
import { errorCodes } from '../errors.ts'
import { type Executor, resultOf } from '../execution/executor.ts'
import type { Answer } from './answer.ts'
import { type GraphQLRequest, withHttp } from './graphql-status.ts'

const wrongOperationName = new GraphQLError('operationName has to be a string.', {
  extensions: { code: 'BAD_REQUEST', http: { status: errorCodes.BAD_REQUEST.status } },
})

const served = /\*\/\*|application\/(?:\*|json|graphql-response\+json)/
const kept = ['content-type', 'allow', 'www-authenticate']

/** Runs operations in the one way there is. */
function useExecutor(executor: Executor): Plugin<object, { call: GraphQLRequest }> {
  return {
    onParams: ({ setParamsHandler }) => {
      setParamsHandler(async ({ params: { query = '', operationName, variables }, context: { call } }) => {
        // Yoga checks the types of the other parameters only.
        if (operationName != null && typeof operationName !== 'string') return { errors: [wrongOperationName] }
        const request = { source: query, operationName: operationName ?? undefined, readOnly: call.method !== 'POST' }
        return withHttp(resultOf(await executor.answer(request, variables ?? {}, call.context)), call)
      })
    },
  }
}

/** Answers with Yoga, which does around the execution all that GraphQL over HTTP asks for. */
export function createYogaAnswer(
  executor: Executor,
): (request: GraphQLRequest, body: string | undefined) => Promise<Answer> {
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
  return async (request, body) => {
    const { url, contentType } = request
    // Whoever accepts nothing that is served here gets JSON all the same (RFC 9110, section 12.4.1), and never a stream.
    const accept = request.accept && served.test(request.accept) ? request.accept : 'application/json'
    const headers = { accept, ...(contentType && { 'content-type': contentType }) }
    const init = body === undefined ? { method: 'GET', headers } : { method: 'POST', headers, body }
    const response = await yoga.fetch(`http://localhost${url}`, init, { call: request })
    // Asked for one by one, since Yoga lists them in the case in which they were set.
    const named = kept.flatMap((name) => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    return { status: response.status, headers: Object.fromEntries(named), body: await response.text() }
  }
}
