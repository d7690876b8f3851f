import { z } from 'zod'
import type { Answered, Executor } from '../execution/executor.ts'
import type { Answer } from './answer.ts'
import { type GraphQLRequest, httpOf, isRefused } from './graphql-status.ts'

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

const plainBody = z.strictObject({
  query: z.string(),
  variables: z.record(z.string(), z.unknown()).nullish(),
  operationName: z.string().nullish(),
})

/**
 * Answers what nearly every request is, a plain JSON body, without the fetch API: by the same execution, with the same statuses.
 * Undefined for everything else, which is Yoga's: other parameters, other media types, what is wrong with the body.
 */
export async function answerPlain(
  request: GraphQLRequest,
  body: string,
  executor: Executor,
): Promise<Answer | undefined> {
  const mediaType = mediaTypes.get(request.accept)
  const parsed = mediaType === undefined ? undefined : plainBody.safeParse(parse(body))
  if (mediaType === undefined || !parsed?.success) return undefined
  const { query, variables, operationName } = parsed.data
  const operation = { source: query, operationName: operationName ?? undefined, readOnly: false }
  const result = await executor.answer(operation, variables ?? {}, request.context)
  const { status, headers } = statusOf(result, mediaType, request)
  return {
    status,
    headers: { 'content-type': `${mediaType}; charset=utf-8`, ...headers },
    body: 'json' in result ? `{"data":${result.json}}` : JSON.stringify(result),
  }
}

function parse(body: string): unknown {
  try {
    return JSON.parse(body)
  } catch {
    return undefined
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
