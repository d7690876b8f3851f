import { once } from 'node:events'
import type { RequestListener } from 'node:http'
import { connect, type Socket } from 'node:net'
import { onTestFinished } from 'vitest'
import { createHttpServer, type HttpLimits } from '../../../src/engine/http/connections/http-server.ts'
import { readConfig } from '../../../src/server/config.ts'
import { portOf } from './port.ts'

/** A server of this process without the service, and functions that open connections to it from an address. */
export async function serve(listener: RequestListener, limits: Partial<HttpLimits> = {}) {
  const server = createHttpServer(listener, { ...readConfig({}), ...limits }, {})
  await once(server.listen(0, '127.0.0.1'), 'listening')
  const port = portOf(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  const begin = (localAddress = '127.0.0.1') => {
    const socket = connect({ port, host: '127.0.0.1', localAddress })
    onTestFinished(() => void socket.destroy())
    return socket
  }
  const open = async (count: number, localAddress?: string) => {
    const sockets: Socket[] = []
    while (sockets.length < count) {
      const socket = begin(localAddress)
      await once(socket, 'connect')
      sockets.push(socket)
    }
    return sockets
  }
  return { begin, open, server, port }
}
