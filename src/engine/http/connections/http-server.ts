import { createServer, type IncomingMessage, type RequestListener, type Server } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import { Refusal } from '../../errors.ts'
import { Connection } from './connection.ts'
import { headersTooLarge, refusalOfFault, refusalText } from './refusal-text.ts'
import { readTarget } from './target.ts'

/** The maximum number of headers of a request. */
const maxHeaders = 100

/** How much of the heap the unfinished headers of a connection may take, as a multiple of their maximum size. */
const headersInHeap = 2

/** How long a server that closes waits for the first request of a connection, in milliseconds. */
const patience = 1_000

/** Limits of a server. */
export type HttpLimits = {
  /** The largest headers of a request, in bytes. */
  readonly headerSize: number
  /** How long the headers, the whole of a request, and a connection without one may take, in milliseconds. */
  readonly timeouts: { readonly headers: number; readonly request: number; readonly idle: number }
}

type Socket = IncomingMessage['socket']

/** An error that Node.js reports: its code, and what could not be parsed. */
type ClientError = NodeJS.ErrnoException & { readonly rawPacket?: Buffer }

/** Creates a server that refuses malformed HTTP (RFC 9110 and 9112) and late requests with a problem document, and closes the connection. Such a response has the server's own headers, too. */
export function createHttpServer(
  listener: RequestListener,
  { headerSize, timeouts }: HttpLimits,
  ownHeaders: Readonly<Record<string, string>>,
): Server {
  // Node.js requires it to be shorter than that of a whole request.
  const headersTimeout = Math.min(timeouts.headers, timeouts.request)
  const server = createServer({
    maxHeaderSize: headerSize,
    headersTimeout,
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: headersTimeout / 5,
    keepAliveTimeout: timeouts.idle,
    // `readTarget` checks it.
    requireHostHeader: false,
  })
  // Node.js drops further headers.
  server.maxHeadersCount = maxHeaders + 1
  server.maxConnections = Math.floor(getHeapStatistics().heap_size_limit / (headersInHeap * headerSize))

  const connections = new Map<Socket, Connection>()
  const refuse = ({ socket, method }: IncomingMessage, refusal: Refusal) =>
    connections.get(socket)?.end(refusalText(refusal, method === 'HEAD', ownHeaders))
  server.on('connection', (socket) => {
    connections.set(socket, new Connection(socket))
    socket.once('close', () => connections.delete(socket))
  })
  const closeIdleConnections = server.closeIdleConnections.bind(server)
  server.closeIdleConnections = () => {
    closeIdleConnections()
    // Node.js counts a connection as busy until its first request, which may be on its way.
    const closeUnused = () => {
      for (const connection of connections.values()) if (!connection.isBusy) connection.end()
    }
    setTimeout(closeUnused, patience).unref()
  }
  server.on('request', (request, response) => {
    const fault = readTarget(request)
    if (request.rawHeaders.length > 2 * maxHeaders) refuse(request, refusalOfFault(headersTooLarge))
    else if (fault !== undefined) refuse(request, new Refusal('BAD_REQUEST', fault))
    else {
      connections.get(request.socket)?.begin(response)
      listener(request, response)
    }
  })
  server.on('checkExpectation', (request) =>
    refuse(request, new Refusal('BAD_REQUEST', 'The only supported expectation is 100-continue.')),
  )
  server.on('connect', (request) => {
    // Node.js has removed its own listeners.
    request.socket.on('error', () => request.socket.destroy())
    refuse(request, new Refusal('BAD_REQUEST', 'CONNECT is not supported.'))
  })
  server.on('clientError', ({ code, rawPacket }: ClientError, socket: Socket) => {
    const connection = connections.get(socket)
    const { response } = connection ?? {}
    const isMidResponse = response?.headersSent === true && !response.writableFinished
    if (!socket.writable || isMidResponse || code === 'ECONNRESET') socket.destroy()
    // Nothing arrived, or what belongs to the body of a request that has its response.
    else if (!connection?.isBusy || (response?.headersSent && !response.req.complete)) connection?.end()
    else
      connection?.end(
        refusalText(refusalOfFault(code ?? ''), rawPacket?.toString('latin1', 0, 5) === 'HEAD ', ownHeaders),
      )
  })
  return server
}
