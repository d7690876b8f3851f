import type { Server } from 'node:net'

/** The port of a server that listens on TCP. Throws a `TypeError` if it does not. */
export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port')
  return address.port
}
