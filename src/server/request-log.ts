import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { withoutTokens } from '../domain/tokens.ts'
import type { Log } from '../log.ts'

/** The duration, in milliseconds, above which a request is logged as a warning. */
const slow = 1_000

/** The maximum length of an operation name in the log. Clients name their own operations. */
const longestName = 100

/** Hexadecimal digits of a UUID, with hyphens or, like the `$request_id` of nginx, without. */
const uuid = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i

/** The id of a request: its `X-Request-Id` if that is a UUID, otherwise a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  const [, ...groups] = (sent && uuid.exec(String(sent))) || []
  return groups.length > 0 ? groups.join('-').toLowerCase() : randomUUID()
}

/** What the log says about a request. */
type LoggedRequest = { readonly requestId: string; readonly method: string; readonly path: string }

/** What the log says about a response. */
type LoggedResponse = { readonly status: number; readonly code?: string | undefined }

/** The line about one request. */
export class RequestLine {
  readonly #log: Log
  readonly #request: LoggedRequest
  readonly #since = performance.now()
  #operation: string | undefined

  constructor(log: Log, request: LoggedRequest) {
    this.#log = log
    this.#request = request
  }

  /** Notes the operation that the request runs. */
  noteOperation(name: string): void {
    this.#operation = name
  }

  /** Writes the line: at `debug`, or as a warning if the response took long. */
  write({ status, code }: LoggedResponse): void {
    const ms = Math.round(performance.now() - this.#since)
    const level = ms > slow ? 'warn' : 'debug'
    if (!this.#log.isLevelEnabled(level)) return
    const { requestId, method, path } = this.#request
    const operation = this.#operation && withoutTokens(this.#operation).slice(0, longestName)
    this.#log[level]({ requestId, method, path: withoutTokens(path), operation, status, code, ms }, 'answered')
  }
}
