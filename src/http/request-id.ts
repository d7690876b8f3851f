import { randomUUID } from 'node:crypto'
import type { IncomingMessage } from 'node:http'

/** Hexadecimal digits of a UUID, with hyphens or, like the `$request_id` of nginx, without. */
const uuid = /^([0-9a-f]{8})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{4})-?([0-9a-f]{12})$/i

/** The id of a request: its `X-Request-Id` if that is a UUID, otherwise a new one. */
export function requestIdOf({ headers }: IncomingMessage): string {
  const sent = headers['x-request-id']
  const [, ...groups] = (sent && uuid.exec(String(sent))) || []
  return groups.length > 0 ? groups.join('-').toLowerCase() : randomUUID()
}
