import { Readable } from 'node:stream'
import { isAsyncIterable, type Plugin, processRegularResult } from 'graphql-yoga'
import type { CompiledResult } from '../operations/pipeline.ts'

/** The time between two comments, which keep proxies from ending a stream that has nothing to send, in milliseconds. */
const heartbeat = 12_000

/** A result for a stream, maybe with the position after it, or only a position. */
export type Streamed = CompiledResult & { readonly id?: string }

type OnResultProcess = NonNullable<Plugin['onResultProcess']>
type ResultProcessor = Parameters<Parameters<OnResultProcess>[0]['setResultProcessor']>[0]

/** Writes one result, or those of a stream, as Server-Sent Events (GraphQL over SSE, distinct connections mode). */
export const writeEvents: ResultProcessor = (result, fetchAPI) => {
  const { Response, ReadableStream } = fetchAPI
  const json = (it: object) => processRegularResult(it, fetchAPI, 'application/json')
  const isStream = isAsyncIterable(result)
  const { status, headers } = isStream ? new Response() : json(result)
  headers.delete('content-length')
  headers.set('content-type', 'text/event-stream')
  // Proxies would collect events, to send or to compress them together.
  headers.set('x-accel-buffering', 'no')
  headers.set('cache-control', 'no-store, no-transform')

  async function* write() {
    for await (const it of isStream ? result : [result].flat()) {
      const { id, ...more }: Record<string, unknown> = { ...it }
      const position = id === undefined ? '' : `id: ${id}\n`
      const isEvent = Object.keys(more).length > 0
      yield isEvent ? `event: next\n${position}data: ${await json(more).text()}\n\n` : `${position}\n`
    }
    yield 'event: complete\ndata:\n\n'
  }
  const events = write()
  const body = new ReadableStream<string>({
    async pull(controller) {
      const { done, value } = await events.next()
      if (done) controller.close()
      else controller.enqueue(value)
    },
    cancel: async () => void (await events.return()),
  })
  // Clients read events only with 200 (GraphQL over SSE), and come again after others.
  return new Response(body, { status: headers.has('retry-after') ? status : 200, headers })
}

/** The Node.js stream inside a body of events, with comments in between; otherwise one that reads the body, which converts each event twice. */
export function nodeStream(body: ReadableStream): Readable {
  const stream = 'readable' in body && body.readable instanceof Readable ? body.readable : Readable.from(body)
  const timer = setInterval(() => {
    if (stream.readableLength === 0) stream.push(':\n\n')
  }, heartbeat)
  return stream.on('error', () => undefined).on('close', () => clearInterval(timer))
}
