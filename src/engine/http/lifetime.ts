import type { ServerResponse } from 'node:http'
import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { Refusal } from '../errors.ts'

declare module 'fastify' {
  interface FastifyRequest {
    lifetime: Lifetime
  }
}

/** The time from the arrival of a request until its response is delivered, or nobody waits for it any more. */
class Lifetime {
  /** Whether nobody waits for its result any more: its response is being sent, or its client is gone. */
  isOver = false
  /** Whether an operation that writes may have begun. */
  mayHaveWritten = false
  #isClosed = false
  #timer: NodeJS.Timeout | undefined
  #restart: (() => void) | undefined
  #controller: AbortController | undefined
  readonly #atEnd: ((isDelivered: boolean) => void)[] = []

  /** Ends with the response. */
  constructor(response: ServerResponse) {
    response.once('close', () => {
      const isDelivered = response.writableFinished
      clearTimeout(this.#timer)
      this.#isClosed = true
      this.isOver = true
      if (!isDelivered) this.#controller?.abort()
      for (const callback of this.#atEnd) callback(isDelivered)
    })
  }

  /** Aborted when nobody waits for the result any more. Created on first use, because most requests end without it. */
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    if (this.#isClosed) this.#controller.abort()
    return this.#controller.signal
  }

  /** Calls a function after this many milliseconds, unless it is over by then. Replaces the previous deadline. */
  setDeadline(milliseconds: number, pass: () => void): void {
    clearTimeout(this.#timer)
    if (!this.#isClosed) this.#timer = setTimeout(pass, milliseconds)
    this.#restart = () => this.setDeadline(milliseconds, pass)
  }

  /** Suspends the deadline. It begins again when the function that it returns is called. */
  suspend(): () => void {
    clearTimeout(this.#timer)
    return () => this.#restart?.()
  }

  /**
   * Ends the work for the request, which takes too long, and returns the refusal to respond with. A write may still be applied
   * afterwards.
   */
  stop(): Refusal {
    this.#controller?.abort()
    const late = 'The request took too long.'
    const advice = 'If it writes, read the data to find out whether the write was applied.'
    return this.mayHaveWritten
      ? new Refusal('OUTCOME_UNKNOWN', `${late} ${advice}`)
      : new Refusal('UNAVAILABLE', `${late} Try again later.`)
  }

  /** Calls a function when the response is delivered or the client gone, at once if it is. */
  atEnd(callback: (isDelivered: boolean) => void): void {
    if (this.#isClosed) callback(false)
    else this.#atEnd.push(callback)
  }
}

/** Gives each request a limited time until its response is known, and then until it is delivered, in milliseconds. */
export function addLifetime(
  server: FastifyInstance,
  timeouts: { readonly response: number; readonly delivery: number },
): void {
  server.decorateRequest('lifetime')
  server.addHook('onRequest', (request, reply, done) => {
    const lifetime = new Lifetime(reply.raw)
    request.lifetime = lifetime
    lifetime.setDeadline(timeouts.response, () => reply.send(lifetime.stop()))
    done()
  })
  server.addHook('onSend', ({ lifetime }, reply, payload, done) => {
    // A handler that ends after its deadline, or after its client has left, has nothing to add. Only clients would end its stream.
    if (lifetime.isOver) return payload instanceof Readable ? void payload.destroy() : undefined
    lifetime.isOver = true
    lifetime.setDeadline(timeouts.delivery, () => reply.raw.destroy())
    done()
  })
}
