import { errorCodes, Refusal, retryHeaders } from '../errors.ts'
import type { Executor } from '../execution/executor.ts'
import { type Answer, json } from './answer.ts'
import { isJson } from './body.ts'
import type { GraphQLRequest } from './graphql-status.ts'
import { LoopTurns } from './loop-turns.ts'
import { parametersInBody, parametersInUrl } from './parameters.ts'
import { answerPlain, mediaTypeFor } from './plain-graphql.ts'

/** An answer to a request that was refused before it came to an operation. */
export function refusedGraphQL(
  { code, message }: Refusal,
  { challenge, accept }: Pick<GraphQLRequest, 'challenge' | 'accept'>,
): Answer {
  const headers: Record<string, string> = { ...retryHeaders(code) }
  const mediaType = mediaTypeFor(accept)
  if (mediaType) headers['content-type'] = `${mediaType}; charset=utf-8`
  if (code === 'UNAUTHENTICATED') headers['www-authenticate'] = challenge
  if (code === 'METHOD_NOT_ALLOWED') headers.allow = 'GET, HEAD, POST, OPTIONS'
  return json(errorCodes[code].status, { errors: [{ message, extensions: { code } }] }, headers)
}

/** GraphQL over HTTP: `POST` with a JSON body, `GET` for queries. Rejects with a refusal before it comes to an operation. */
export function createGraphQL(executor: Executor): (request: GraphQLRequest) => Promise<Answer> {
  // Loaded when it is first needed, since it takes longer than all else at the start.
  let yoga: ReturnType<typeof loadYoga> | undefined
  const loadYoga = () => import('./yoga.ts').then(({ createYogaAnswer }) => createYogaAnswer(executor))

  const turns = new LoopTurns()

  return async (request) => {
    const { method, contentType } = request
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      throw new Refusal('METHOD_NOT_ALLOWED', 'GraphQL takes GET and POST.')
    }
    if (method === 'POST' && !isJson(contentType)) {
      throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json.')
    }
    const body = method === 'POST' ? await request.body() : undefined
    await turns.next()
    const parameters = body === undefined ? parametersInUrl(request.query) : parametersInBody(body)
    const plain = method === 'POST' ? await answerPlain(request, parameters, executor) : undefined
    if (plain) return plain
    yoga ??= loadYoga()
    return (await yoga)(request, parameters)
  }
}
