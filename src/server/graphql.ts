import { isUtf8 } from 'node:buffer'
import { errorCodes, Refusal } from '../errors.ts'
import type { Executor } from '../execution/executor.ts'
import { type Answer, json } from './answer.ts'
import { isJson } from './body.ts'
import type { GraphQLRequest } from './graphql-status.ts'
import { answerPlain } from './plain-graphql.ts'

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

/** GraphQL over HTTP: `POST` with a JSON body, `GET` for queries. Rejects with a refusal before it comes to an operation. */
export function createGraphQL(executor: Executor): (request: GraphQLRequest) => Promise<Answer> {
  // Loaded when it is first needed, since it takes longer than all else at the start.
  let yoga: ReturnType<typeof loadYoga> | undefined
  const loadYoga = () => import('./yoga.ts').then(({ createYogaAnswer }) => createYogaAnswer(executor))

  return async (request) => {
    const { method, contentType } = request
    if (method !== 'GET' && method !== 'HEAD' && method !== 'POST') {
      throw new Refusal('METHOD_NOT_ALLOWED', 'GraphQL takes GET and POST.')
    }
    if (method === 'POST' && !isJson(contentType)) {
      throw new Refusal('UNSUPPORTED_MEDIA_TYPE', 'The body must be sent as application/json.')
    }
    const body = method === 'POST' ? text(await request.body()) : undefined
    const plain = body === undefined ? undefined : await answerPlain(request, body, executor)
    if (plain) return plain
    yoga ??= loadYoga()
    return (await yoga)(request, body)
  }
}
