import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import { withoutTokens } from '../domain/tokens.ts'
import type { Log } from '../log.ts'

/** The duration, in milliseconds, above which a request is logged as a warning. */
const slow = 1_000

/** The longest name of an operation in the log. Clients choose the names of theirs. */
const longestName = 100

/** Hexadecimal digits of a UUID, with hyphens or, like the `$request_id` of nginx, without. */
const uuid = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i

/** The id of a request: that of its `X-Request-Id`, if it is a UUID, or a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const [, ...groups] = uuid.exec(String(headers['x-request-id'] ?? '')) ?? []
  return groups.length > 0 ? groups.join('-').toLowerCase() : randomUUID()
}

/** What the log tells of a request. */
type LoggedRequest = { readonly requestId: string; readonly method: string; readonly path: string }

/** What the log tells of a response. */
type Logged = { readonly status: number; readonly code?: string | undefined }

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
  write({ status, code }: Logged): void {
    const ms = Math.round(performance.now() - this.#since)
    const isSlow = ms > slow
    if (!isSlow && !this.#log.isLevelEnabled('debug')) return
    const { requestId, method, path } = this.#request
    const operation = this.#operation && withoutTokens(this.#operation).slice(0, longestName)
    const line = { requestId, method, path: withoutTokens(path), operation, status, code, ms }
    if (isSlow) this.#log.warn(line, 'answered')
    else this.#log.debug(line, 'answered')
  }
}
