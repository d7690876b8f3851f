import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http'
import type { Socket } from 'node:net'

/** How many requests may wait for others of their sockets, in the whole process; each takes about 2 KB. */
const maxWaiting = 10_000

/** With how many waiting requests a socket is still read, which is how it is noticed that its client left. */
const maxWaitingWhileRead = 8

type Request = readonly [IncomingMessage, ServerResponse]
type Pipeline = { isBusy: boolean; readonly waiting: Request[] }

/**
 * Begins a request of a socket when those before it are answered, and reads no more of the socket while many wait. By itself Node.js
 * begins whatever has arrived, and goes on reading.
 */
export class Pipelines {
  readonly #listener: RequestListener
  readonly #pipelines = new WeakMap<Socket, Pipeline>()
  #waiting = 0

  constructor(listener: RequestListener) {
    this.#listener = listener
  }

  /** Begins a request, now or when its turn comes. */
  add(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request
    const pipeline = this.#pipelines.get(socket) ?? this.#open(socket)
    if (pipeline.isBusy) this.#wait(socket, pipeline, [request, response])
    else this.#begin(socket, pipeline, [request, response])
  }

  #open(socket: Socket): Pipeline {
    const pipeline: Pipeline = { isBusy: false, waiting: [] }
    this.#pipelines.set(socket, pipeline)
    // Node.js resumes it after each request whose body nobody read.
    socket.on('resume', () => {
      if (pipeline.waiting.length > maxWaitingWhileRead) socket.pause()
    })
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
    if (waiting.length > maxWaitingWhileRead) socket.pause()
  }

  #begin(socket: Socket, pipeline: Pipeline, request: Request): void {
    pipeline.isBusy = true
    request[1].once('close', () => {
      // In a turn of its own, so that others have theirs in between.
      if (pipeline.waiting.length > 0) setImmediate(() => this.#next(socket, pipeline))
      else pipeline.isBusy = false
    })
    this.#listener(...request)
  }

  #next(socket: Socket, pipeline: Pipeline): void {
    const next = pipeline.waiting.shift()
    if (next === undefined) return
    this.#waiting -= 1
    if (pipeline.waiting.length === maxWaitingWhileRead) socket.resume()
    this.#begin(socket, pipeline, next)
  }
}
