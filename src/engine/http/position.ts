import type { IncomingHttpHeaders } from 'node:http'
import type { WalPosition } from '../data/request-info.ts'
import { Refusal } from '../errors.ts'

export { onlyOnPrimary } from '../data/request-info.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The position of its writes, once they are done, if there are replicas. */
    position: WalPosition | undefined
  }
}

/** The form of a position. */
export const positionFormat = /^[0-9a-f]{16}$/

/** The header of the response to a write with its position. It is only sent where there are replicas. */
export const positionHeader = 'Rookery-Position'

/** The header of a query that must see the writes up to a position. */
export const afterHeader = 'Rookery-After'

/** The position in the header of a query. Undefined without one. Throws `BAD_REQUEST` if it is malformed. */
export function positionIn(headers: IncomingHttpHeaders): WalPosition | undefined {
  const header = headers['rookery-after']?.toString()
  if (header === undefined || positionFormat.test(header)) return header
  throw new Refusal('BAD_REQUEST', `${afterHeader} must be the ${positionHeader} of the response to a write.`)
}
