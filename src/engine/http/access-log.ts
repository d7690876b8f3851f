import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { withoutTokens } from '../auth/viewers.ts'
import type { Log } from '../log.ts'
import { isUuid } from '../text/uuids.ts'
import type { Metrics } from './metrics.ts'
import { pathOf, surfaceOf } from './url.ts'

declare module 'fastify' {
  interface FastifyRequest {
    logEntry: LogEntry
  }
}

/** The status in the log of a request whose client left before its response, as in that of nginx. */
const clientClosed = 499

/** The duration, in milliseconds, above which a request is logged as a warning. */
const slow = 1_000

/** The maximum length of a path in the log, longer than any that exists. */
const longestPath = 300

/** A UUID without hyphens, like the `$request_id` of nginx. */
const withoutHyphens = /^(\w{8})(\w{4})(\w{4})(\w{4})(\w{12})$/

/** The id of a request: its `X-Request-Id` if that is a UUID, otherwise a new one. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const sent = String(headers['x-request-id']).replace(withoutHyphens, '$1-$2-$3-$4-$5')
  return isUuid(sent) ? sent.toLowerCase() : randomUUID()
}

/** Where requests are logged, and counted if anything is measured. */
type Journal = { readonly log: Log; readonly metrics?: Metrics | undefined }

/** What the code that answers a request reports of it. */
type Report = {
  /** The name of the operation that it runs, if it has one. */
  readonly operation?: string | undefined
  /** Whether that is one of the operator's or of Rookery's own, so that it may be counted by its name. */
  readonly isOperationKnown?: boolean
  /** The code of an error of its response, of which the first counts. */
  readonly code?: unknown
}

/** The line that the log gets about a request, once its response is known or its client has left. */
class LogEntry {
  #reported: Report = {}
  readonly #request: FastifyRequest
  readonly #journal: Journal
  /** Whether it is for a health check or a static file. */
  readonly #isMinor: boolean
  #since = performance.now()
  /** Since when it waits for changes, which counts as no time. */
  #pausedAt: number | undefined
  #isWritten = false

  constructor(request: FastifyRequest, journal: Journal) {
    this.#request = request
    this.#journal = journal
    this.#isMinor = request.routeOptions.logLevel === 'debug'
  }

  /** Adds to what is known of the request. */
  report(facts: Report): void {
    this.#reported = { ...this.#reported, ...facts, code: this.#reported.code ?? facts.code }
  }

  /** Stops the clock until the function that it returns is called. */
  suspend(): () => void {
    const began = performance.now()
    this.#pausedAt = began
    return () => {
      this.#pausedAt = undefined
      this.#since += performance.now() - began
    }
  }

  /** Writes the line and counts the request, the first time that it is called. The line is a warning if it took long. */
  write(status: number): void {
    if (this.#isWritten) return
    this.#isWritten = true
    const { log, metrics } = this.#journal
    const { id: requestId, method, raw, viewer, budget } = this.#request
    const { operation, isOperationKnown, code: reported } = this.#reported
    const code = typeof reported === 'string' ? reported : undefined
    const time = (this.#pausedAt ?? performance.now()) - this.#since
    const ms = Math.round(time)
    const path = pathOf(raw)
    const name = isOperationKnown ? operation : undefined
    metrics?.count({ surface: surfaceOf(path), operation: name, status, code, seconds: time / 1_000 })
    const level = ms > slow ? 'warn' : this.#isMinor ? 'debug' : 'info'
    if (!log.isLevelEnabled(level)) return
    const shown = withoutTokens(path).slice(0, longestPath)
    log[level](
      { requestId, method, path: shown, operation, viewer: viewer?.id, status, code, cost: budget?.spent, ms },
      'answered',
    )
  }
}

/** Logs each request in one line, under an id that its response has in `X-Request-Id`. Needs `lifetime`. */
export function addAccessLog(server: FastifyInstance, journal: Journal): void {
  server.decorateRequest('logEntry')
  server.addHook('onRequest', (request, reply, done) => {
    const entry = new LogEntry(request, journal)
    request.logEntry = entry
    reply.header('x-request-id', request.id)
    request.lifetime.atEnd((isDelivered) => {
      if (!isDelivered) entry.write(clientClosed)
    })
    done()
  })
  server.addHook('onSend', ({ logEntry }, reply, _payload, done) => {
    logEntry.write(reply.statusCode)
    done()
  })
}
