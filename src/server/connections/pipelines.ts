import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Arrivals } from './arrivals.ts'

type Request = readonly [IncomingMessage, ServerResponse]
type Pipeline = {
  /** The request that is being handled. */
  current: IncomingMessage | undefined
  /** The request after it. */
  next: Request | undefined
  /** Called when no request is left. */
  onIdle: (() => void) | undefined
}

/**
 * Handles the pipelined requests of a connection one after another. While one waits, no more are parsed. Node.js itself would start all
 * requests that have arrived.
 */
export class Pipelines {
  readonly #listener: RequestListener
  readonly #arrivals: Arrivals
  readonly #pipelines = new WeakMap<Duplex, Pipeline>()

  constructor(listener: RequestListener, arrivals: Arrivals) {
    this.#listener = listener
    this.#arrivals = arrivals
  }

  /** Handles a request now, or after those before it. */
  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const pipeline = this.#pipelines.get(socket) ?? this.#open(socket)
    if (pipeline.current) this.#wait(socket, pipeline, [request, response])
    else this.#begin(socket, pipeline, [request, response])
  }

  /**
   * Calls `answer` to refuse an invalid request once the valid requests before it have been answered. Otherwise the client would take
   * the refusal for one of their responses.
   */
  refuse(socket: Duplex, answer: () => void): void {
    const pipeline = this.#pipelines.get(socket)
    const { current, next } = pipeline ?? {}
    const last = next?.[0] ?? current
    // Then it belongs to the last request, whose body it interrupts.
    const isBody = last?.complete === false
    if (!pipeline || !current || (isBody && last === current)) {
      answer()
      return
    }
    if (isBody) pipeline.next = undefined
    pipeline.onIdle = answer
  }

  #open(socket: Socket): Pipeline {
    const pipeline: Pipeline = { current: undefined, next: undefined, onIdle: undefined }
    this.#pipelines.set(socket, pipeline)
    socket.on('close', () => (pipeline.next = undefined))
    return pipeline
  }

  #wait(socket: Socket, pipeline: Pipeline, request: Request): void {
    if (socket.destroyed) return
    pipeline.next = request
    this.#arrivals.hold(socket)
  }

  #begin(socket: Socket, pipeline: Pipeline, request: Request): void {
    pipeline.current = request[0]
    request[1].once('close', () => {
      if (pipeline.next) this.#arrivals.beginInTurn(socket, () => this.#next(socket, pipeline))
      else this.#end(pipeline)
    })
    this.#listener(...request)
  }

  #next(socket: Socket, pipeline: Pipeline): void {
    const { next } = pipeline
    if (next === undefined) {
      this.#end(pipeline)
      return
    }
    pipeline.next = undefined
    this.#arrivals.release(socket)
    this.#begin(socket, pipeline, next)
  }

  #end(pipeline: Pipeline): void {
    pipeline.current = undefined
    pipeline.onIdle?.()
    pipeline.onIdle = undefined
  }
}
