import { once } from 'node:events'
import { createServer, type Server } from 'node:net'

/** The port of a server that listens on TCP. Throws a `TypeError` if it does not. */
export function portOf(server: Server): number {
  const address = server.address()
  if (address === null || typeof address === 'string') throw new TypeError('The server has no port')
  return address.port
}

/** A port that nothing listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1')
  await once(server, 'listening')
  const port = portOf(server)
  await once(server.close(), 'close')
  return port
}
