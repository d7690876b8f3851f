import { Pool } from 'undici'
import type { Request } from '../works/speaker.ts'

/** Chooses the next request. */
export type Next = () => Request

/** What a load of some seconds did. */
export type LoadResult = {
  readonly requests: number
  readonly seconds: number
  /** How long each answer took, in milliseconds, shortest first. */
  readonly latencies: Float64Array
}

const mostRequests = 2_000_000
const patience = 15_000

/** Connections to one server, each with one request at a time. */
export class Load {
  readonly #pool: Pool
  readonly #connections: number

  constructor(origin: string, connections: number) {
    this.#connections = connections
    this.#pool = new Pool(origin, { connections, pipelining: 1, headersTimeout: patience, bodyTimeout: patience })
  }

  /** Sends one request after the other on every connection for so long. Rejects at the first answer that is an error. */
  async run(next: Next, milliseconds: number): Promise<LoadResult> {
    const latencies: number[] = []
    const began = performance.now()
    const end = began + milliseconds
    const lane = async () => {
      while (latencies.length < mostRequests) {
        const sent = performance.now()
        if (sent >= end) return
        await this.#send(next())
        latencies.push(performance.now() - sent)
      }
    }
    await Promise.all(Array.from({ length: this.#connections }, lane))
    const seconds = (performance.now() - began) / 1000
    return { requests: latencies.length, seconds, latencies: Float64Array.from(latencies).sort() }
  }

  /** Closes the connections. */
  close(): Promise<void> {
    return this.#pool.destroy()
  }

  // The body is looked at as it comes and not kept: reading it costs the load as little as possible.
  #send({ method, path, headers, body }: Request): Promise<void> {
    return new Promise((resolve, reject) => {
      let status = 0
      let isError = false
      let start = ''
      this.#pool.dispatch(
        { method, path, headers, body },
        {
          onRequestStart: () => undefined,
          onResponseStart: (_, code) => {
            status = code
          },
          onResponseData: (_, chunk) => {
            if (start === '') start = chunk.toString('utf8', 0, 300)
            if (chunk.includes('"errors":[')) isError = true
          },
          onResponseEnd: () => {
            if (status === 200 && !isError) resolve()
            else reject(new Error(`${method} ${path} was answered with ${status}: ${start}`))
          },
          onResponseError: (_, error) => reject(error),
        },
      )
    })
  }
}
