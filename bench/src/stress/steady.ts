import { setTimeout as sleep } from 'node:timers/promises'
import { Pool } from 'undici'
import { percentile } from '../measuring/statistics.ts'
import type { Request } from '../works/speaker.ts'

/** How long an answer may take before it counts as none, in milliseconds. */
const patience = 10_000

/** What a steady client saw: times in milliseconds. */
export type Seen = {
  readonly requests: number
  readonly failed: number
  /** How often each failure came, by its status or the code of its error. */
  readonly failures: Readonly<Record<string, number>>
  readonly p50: number
  readonly p99: number
  readonly worst: number
}

/** Sends the same request at a steady rate, whether the one before was answered or not. */
export class SteadyClient {
  readonly #pool: Pool
  readonly #request: Request
  readonly #interval: number

  /** `interval` is from one request to the next, in milliseconds. */
  constructor(origin: string, request: Request, interval: number, connections: number) {
    const timeouts = { headersTimeout: patience, bodyTimeout: patience, connectTimeout: patience }
    this.#pool = new Pool(origin, { connections, pipelining: 1, ...timeouts })
    this.#request = request
    this.#interval = interval
  }

  /** Sends until another thing is over, and waits for the last answers. */
  async during(other: Promise<unknown>): Promise<Seen> {
    let over = false
    const end = () => {
      over = true
    }
    other.then(end, end)
    const taken: number[] = []
    const failures: Record<string, number> = {}
    const underWay: Promise<void>[] = []
    for (let due = performance.now(); !over; due += this.#interval) {
      await sleep(Math.max(0, due - performance.now()))
      // The clock starts when a request is due, so that a stall counts for each one that it holds up.
      const since = Math.min(due, performance.now())
      const done = this.#send().then((failure) => {
        taken.push(performance.now() - since)
        if (failure !== undefined) failures[failure] = (failures[failure] ?? 0) + 1
      })
      underWay.push(done)
    }
    await Promise.all(underWay)
    const sorted = Float64Array.from(taken).sort()
    return {
      requests: taken.length,
      failed: Object.values(failures).reduce((sum, count) => sum + count, 0),
      failures,
      p50: percentile(sorted, 0.5),
      p99: percentile(sorted, 0.99),
      worst: sorted.at(-1) ?? Number.NaN,
    }
  }

  /** Closes the connections. */
  close(): Promise<void> {
    return this.#pool.destroy()
  }

  /** Why the request failed; undefined when it was answered well. */
  async #send(): Promise<string | undefined> {
    const { method, path, headers, body } = this.#request
    try {
      const answer = await this.#pool.request({ method, path, headers, body, signal: AbortSignal.timeout(patience) })
      const text = await answer.body.text()
      if (answer.statusCode !== 200) return String(answer.statusCode)
      return text.startsWith('{"errors":') ? 'errors' : undefined
    } catch (error) {
      if (!(error instanceof Error)) return String(error)
      // The code of an exception of the DOM, such as a timeout's, is a number that says nothing.
      return 'code' in error && typeof error.code === 'string' ? error.code : error.name
    }
  }
}
