import type { Answered, Executor } from '../execution/executor.ts'
import type { Answer } from './answer.ts'
import { type GraphQLRequest, httpOf, isRefused } from './graphql-status.ts'
import type { Parameters } from './parameters.ts'

const json = 'application/json'
const response = 'application/graphql-response+json'

/** The media type of the answer for what nearly every client accepts; anything else is weighed by Yoga. */
const mediaTypes = new Map<string | undefined, string>([
  [undefined, json],
  ['*/*', json],
  [json, json],
  [response, response],
  [`${response}, ${json}`, response],
])

/** The media type of the answer for an `Accept` header; undefined when it has to be weighed. */
export function mediaTypeFor(accept: string | undefined): string | undefined {
  return mediaTypes.get(accept)
}

/**
 * Answers what nearly every request is, a plain JSON body, without the fetch API: by the same execution, with the same statuses.
 * Undefined for other media types, which are Yoga's.
 */
export async function answerPlain(
  request: GraphQLRequest,
  { query, variables, operationName }: Parameters,
  executor: Executor,
): Promise<Answer | undefined> {
  const mediaType = mediaTypeFor(request.accept)
  if (mediaType === undefined) return undefined
  const operation = { source: query, operationName: operationName ?? undefined, readOnly: false }
  const result = await executor.answer(operation, variables ?? {}, request.context)
  const { status, headers } = statusOf(result, mediaType, request)
  return {
    status,
    headers: { 'content-type': `${mediaType}; charset=utf-8`, ...headers },
    body: 'json' in result ? `{"data":${result.json}}` : JSON.stringify(result),
  }
}

function statusOf(result: Answered, mediaType: string, request: GraphQLRequest) {
  let status = 200
  let headers = {}
  if ('json' in result || !isRefused(result)) return { status, headers }
  for (const error of result.errors ?? []) {
    const http = httpOf(error, request)
    headers = { ...headers, ...http.headers }
    if (!(mediaType === json && http.spec)) status = Math.max(status, http.status)
  }
  return { status, headers }
}
