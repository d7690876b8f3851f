import { createYoga, type Plugin } from 'graphql-yoga'
import { type Executor, resultOf } from '../execution/executor.ts'
import type { Answer } from './answer.ts'
import { type GraphQLRequest, withHttp } from './graphql-status.ts'
import type { Parameters } from './parameters.ts'

const served = /\*\/\*|application\/(?:\*|json|graphql-response\+json)/
const kept = ['content-type', 'allow', 'www-authenticate', 'retry-after']

type Server = { readonly call: { readonly request: GraphQLRequest; readonly parameters: Parameters } }

/** Runs operations in the one way there is, with parameters that are read already. */
function useExecutor(executor: Executor): Plugin<object, Server> {
  return {
    onRequestParse: ({ serverContext, setRequestParser }) => {
      setRequestParser(() => ({ query: serverContext.call.parameters.query }))
    },
    onParams: ({ setParamsHandler }) => {
      setParamsHandler(async ({ context: { call } }) => {
        const { request, parameters } = call
        const { query, operationName, variables } = parameters
        const operation = {
          source: query,
          operationName: operationName ?? undefined,
          readOnly: request.method !== 'POST',
        }
        return withHttp(resultOf(await executor.answer(operation, variables ?? {}, request.context)), request)
      })
    },
  }
}

/** Answers with Yoga, which weighs the media types that a client accepts. */
export function createYogaAnswer(
  executor: Executor,
): (request: GraphQLRequest, parameters: Parameters) => Promise<Answer> {
  const yoga = createYoga<Server>({
    plugins: [useExecutor(executor)],
    cors: false,
    graphiql: false,
    landingPage: false,
    logging: false,
    maskedErrors: false,
    multipart: false,
    parserAndValidationCache: false,
  })
  return async (request, parameters) => {
    // Whoever accepts nothing that is served here gets JSON all the same (RFC 9110, section 12.4.1), and never a stream.
    const accept = request.accept && served.test(request.accept) ? request.accept : 'application/json'
    const response = await yoga.fetch(
      'http://localhost/graphql',
      { headers: { accept } },
      {
        call: { request, parameters },
      },
    )
    // Asked for one by one, since Yoga lists them in the case in which they were set.
    const named = kept.flatMap((name) => {
      const value = response.headers.get(name)
      return value === null ? [] : [[name, value] as const]
    })
    return { status: response.status, headers: Object.fromEntries(named), body: await response.text() }
  }
}
