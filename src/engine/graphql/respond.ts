import { Readable } from 'node:stream'
import type { FastifyRequest } from 'fastify'
import { isAsyncIterable, processRegularResult } from 'graphql-yoga'
import type { Pipeline } from '../execution/pipeline.ts'
import type { CompiledResult } from '../execution/prepared-operation.ts'
import { negotiatorFor } from '../http/compression.ts'
import type { HttpResponse } from '../http/response.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** What the client of a request to `/graphql` accepts, once it was read. */
    accepted: Accepted | undefined
  }
}

const json = 'application/json'
const graphqlResponse = 'application/graphql-response+json'
const events = 'text/event-stream'
const html = 'text/html'

/** What those who take JSON accept. */
const takingJson: ReadonlySet<string> = new Set([json, graphqlResponse, 'application/*', '*/*'])

/** What a client accepts. */
export type Accepted = {
  /**
   * The media type of results (GraphQL over HTTP, section 4): `application/json` also for a client that accepts neither (RFC 9110,
   * section 12.4.1).
   */
  readonly mediaType: typeof json | typeof graphqlResponse
  /** Whether Server-Sent Events are taken, and whether nothing else is. */
  readonly takesEvents: boolean
  readonly takesOnlyEvents: boolean
  /** Whether it prefers a page, as browsers do. */
  readonly prefersHtml: boolean
}

/** Most headers need no parsing. */
const usual: Accepted = { mediaType: json, takesEvents: false, takesOnlyEvents: false, prefersHtml: false }
const unusual = /graphql-response|event-stream|html/

/** What the client of a request to `/graphql` accepts. Reads the header once. */
export function acceptedBy(request: FastifyRequest): Accepted {
  const header = request.raw.headers.accept?.toLowerCase()
  request.accepted ??= header && unusual.test(header) ? parseAccept(header) : usual
  return request.accepted
}

function parseAccept(header: string): Accepted {
  const negotiator = negotiatorFor({ accept: header })
  const types = negotiator.mediaTypes()
  const takesEvents = types.includes(events)
  return {
    mediaType:
      types.find((type) => type === json || type === graphqlResponse) === graphqlResponse ? graphqlResponse : json,
    takesEvents,
    takesOnlyEvents: takesEvents && !types.some((type) => takingJson.has(type)),
    prefersHtml: header.includes(html) && negotiator.mediaType([json, graphqlResponse, html]) === html,
  }
}

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
