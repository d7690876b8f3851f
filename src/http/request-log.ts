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

/** What the log says about a request and its response. `ms` is how long it took, and `code` that of its first error. */
export type RequestLine = {
  readonly requestId: string
  readonly method: string
  readonly path: string
  readonly operation: string | undefined
  readonly status: number
  readonly code: string | undefined
  readonly ms: number
}

/** Logs a request at `debug`, or as a warning if it took long. */
export function logRequest(log: Log, { path, operation, ...line }: RequestLine): void {
  const level = line.ms > slow ? 'warn' : 'debug'
  if (!log.isLevelEnabled(level)) return
  const named = operation && withoutTokens(operation).slice(0, longestName)
  log[level]({ ...line, path: withoutTokens(path), operation: named }, 'answered')
}
