import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { text } from 'node:stream/consumers'

/** A response that was read from a socket. Header names are in lower case. */
export type SocketAnswer = {
  readonly status: number
  readonly headers: ReadonlyMap<string, string>
  readonly body: string
}

/** A connection to a server that can send any bytes. */
export async function openSocket(origin: string, localAddress?: string): Promise<Socket> {
  const { hostname, port } = new URL(origin)
  const socket = connect({ port: Number(port), host: hostname, ...(localAddress && { localAddress }) })
  socket.on('error', () => undefined)
  await once(socket, 'connect')
  return socket
}

/** Sends bytes unchanged, and reads until the server closes the connection. */
export async function exchange(origin: string, sent: string): Promise<SocketAnswer> {
  const socket = await openSocket(origin)
  socket.write(sent)
  return parseAnswer(await text(socket))
}

/** Parses the first response in the bytes that a server sent. */
export function parseAnswer(received: string): SocketAnswer {
  const [head = '', ...rest] = received.split('\r\n\r\n')
  const [, ...lines] = head.split('\r\n')
  const headers = new Map(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 2)]),
  )
  return { status: Number(head.split(' ')[1]), headers, body: rest.join('\r\n\r\n') }
}
