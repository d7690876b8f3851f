import { Readable } from 'node:stream'
import { isAsyncIterable, processRegularResult } from 'graphql-yoga'
import type { Pipeline } from '../execution/pipeline.ts'
import type { CompiledResult } from '../execution/plugin.ts'
import type { HttpResponse } from '../http/response.ts'

/** The time between two comments, which keep proxies from ending a stream that has nothing to send, in milliseconds. */
const heartbeat = 12_000

/** A result for a stream, maybe with the position after it, or only a position. */
export type Streamed = CompiledResult & { readonly id?: string }

/** What an operation returns: a result, or for a subscription its events. */
export type OperationResult = CompiledResult | AsyncIterable<Streamed>

/** Proxies would collect events, to send or to compress them together. */
const uncollected = { 'x-accel-buffering': 'no', 'cache-control': 'no-store, no-transform' }

/** The response with one result, or those of a stream, as Server-Sent Events (GraphQL over SSE, distinct connections mode). */
export function eventsResponse(outcome: OperationResult, { fetchAPI }: Pipeline): HttpResponse {
  const respond = (result: CompiledResult) => processRegularResult(result, fetchAPI, 'application/json')

  async function* write(results: AsyncIterable<Streamed> | readonly Streamed[]) {
    for await (const { id, ...result } of results) {
      const position = id === undefined ? '' : `id: ${id}\n`
      const isEvent = Object.keys(result).length > 0
      yield isEvent ? `event: next\n${position}data: ${await respond(result).text()}\n\n` : `${position}\n`
    }
    yield 'event: complete\ndata:\n\n'
  }
  const type = { 'content-type': 'text/event-stream' }
  if (isAsyncIterable(outcome))
    return { status: 200, headers: { ...type, ...uncollected }, body: withComments(Readable.from(write(outcome))) }
  const { status, headers } = respond(outcome)
  headers.delete('content-length')
  return {
    // Clients read events only with 200 (GraphQL over SSE), and come again after others.
    status: headers.has('retry-after') ? status : 200,
    headers: { ...Object.fromEntries(headers), ...type, ...uncollected },
    body: Readable.from(write([outcome])),
  }
}

/** A stream with comments while it has nothing to send. */
function withComments(stream: Readable): Readable {
  const timer = setInterval(() => {
    if (stream.readableLength === 0) stream.push(':\n\n')
  }, heartbeat)
  return stream.on('error', () => undefined).on('close', () => clearInterval(timer))
}
