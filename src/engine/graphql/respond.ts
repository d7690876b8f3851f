import { processRegularResult } from 'graphql-yoga'
import type { Pipeline } from '../execution/pipeline.ts'
import type { CompiledResult } from '../execution/plugin.ts'
import type { HttpResponse } from '../http/response.ts'
import type { Accepted } from './accept.ts'

/** The response with the result of an operation. Yoga makes those with errors or headers. */
export async function resultResponse(
  result: CompiledResult,
  { mediaType }: Pick<Accepted, 'mediaType'>,
  { fetchAPI }: Pipeline,
): Promise<HttpResponse> {
  if (!result.errors && !result.extensions) {
    const body = result.stringify ? result.stringify(result) : JSON.stringify(result)
    return { status: 200, headers: { 'content-type': `${mediaType}; charset=utf-8` }, body }
  }
  const response = processRegularResult(result, fetchAPI, mediaType)
  return { status: response.status, headers: Object.fromEntries(response.headers), body: await response.text() }
}
