import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'
import type { Duplex } from 'node:stream'
import type { Arrivals } from './arrivals.ts'

/** The most pipelined requests that may wait, in the whole process. Each takes about 2 KB. */
const maxWaiting = 5_000

/** How many requests of a connection may wait before it is no longer read. Only reading reveals that the client has disconnected. */
const maxWaitingWhileRead = 8

type Request = readonly [IncomingMessage, ServerResponse]
type Pipeline = {
  /** The request that is being handled. */
  current: IncomingMessage | undefined
  readonly waiting: Request[]
  /** Called when no request is left. */
  onIdle: (() => void) | undefined
}

/**
 * Handles the pipelined requests of a connection one after another, and stops reading it while many wait. Node.js itself starts all
 * requests that have arrived, and goes on reading.
 */
export class Pipelines {
  readonly #listener: RequestListener
  readonly #arrivals: Arrivals
  readonly #pipelines = new WeakMap<Duplex, Pipeline>()
  #waiting = 0

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
    const { current, waiting = [] } = pipeline ?? {}
    const last = waiting.at(-1)?.[0] ?? current
    // Then it belongs to the last request, whose body it interrupts.
    const isBody = last?.complete === false
    if (!pipeline || !current || (isBody && last === current)) {
      answer()
      return
    }
    if (isBody) {
      waiting.pop()
      this.#waiting -= 1
    }
    pipeline.onIdle = answer
  }

  #open(socket: Socket): Pipeline {
    const pipeline: Pipeline = { current: undefined, waiting: [], onIdle: undefined }
    this.#pipelines.set(socket, pipeline)
    socket.on('close', () => {
      this.#waiting -= pipeline.waiting.length
      pipeline.waiting.length = 0
    })
    return pipeline
  }

  #wait(socket: Socket, { waiting }: Pipeline, request: Request): void {
    if (socket.destroyed) return
    if (this.#waiting >= maxWaiting) {
      socket.destroy()
      return
    }
    this.#waiting += 1
    waiting.push(request)
    if (waiting.length > maxWaitingWhileRead) this.#arrivals.hold(socket)
  }

  #begin(socket: Socket, pipeline: Pipeline, request: Request): void {
    pipeline.current = request[0]
    request[1].once('close', () => {
      if (pipeline.waiting.length > 0) this.#arrivals.beginInTurn(socket, () => this.#next(socket, pipeline))
      else this.#end(pipeline)
    })
    this.#listener(...request)
  }

  #next(socket: Socket, pipeline: Pipeline): void {
    const next = pipeline.waiting.shift()
    if (next === undefined) {
      this.#end(pipeline)
      return
    }
    this.#waiting -= 1
    if (pipeline.waiting.length === maxWaitingWhileRead) this.#arrivals.release(socket)
    this.#begin(socket, pipeline, next)
  }

  #end(pipeline: Pipeline): void {
    pipeline.current = undefined
    pipeline.onIdle?.()
    pipeline.onIdle = undefined
  }
}
