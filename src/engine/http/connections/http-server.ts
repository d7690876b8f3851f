import { randomUUID } from 'node:crypto'
import { createServer, type IncomingMessage, type RequestListener, type Server, STATUS_CODES } from 'node:http'
import { getHeapStatistics } from 'node:v8'
import { type ErrorCode, Refusal } from '../../errors.ts'
import { problem } from '../problem.ts'
import { commonHeaders } from '../response.ts'
import { Connection } from './connection.ts'

/** The maximum number of headers of a request. */
const maxHeaders = 100

/** How much of the heap the unfinished headers of a connection may take, as a multiple of their maximum size. */
const headersInHeap = 2

/** How long a server that closes waits for the first request of a connection, in milliseconds. */
const graceMs = 1_000

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

/**
 * Creates a server that refuses malformed HTTP (RFC 9110 and 9112) and late requests with a problem document, and closes the
 * connection. Such a response has the server's own headers, too.
 */
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
    setTimeout(closeUnused, graceMs).unref()
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

/** The code with which Node.js reports headers that are too large. */
const headersTooLarge = 'HPE_HEADER_OVERFLOW'

/** The refusals of what Node.js reports. Anything else is not valid HTTP. */
const refusals: ReadonlyMap<string, readonly [ErrorCode, string]> = new Map([
  ['ERR_HTTP_REQUEST_TIMEOUT', ['REQUEST_TIMEOUT', 'The request did not arrive in time.']],
  [headersTooLarge, ['HEADERS_TOO_LARGE', 'The headers of the request are too large.']],
  ['HPE_CHUNK_EXTENSIONS_OVERFLOW', ['PAYLOAD_TOO_LARGE', 'The chunk extensions are too long.']],
])

/** The refusal of what Node.js reports with a code. */
function refusalOfFault(code: string): Refusal {
  return new Refusal(...(refusals.get(code) ?? ['BAD_REQUEST', 'The request is not valid HTTP.']))
}

/**
 * The text of a response in HTTP/1.1 that refuses a request and closes its connection. The one to HEAD has no body (RFC 9110,
 * section 9.3.2).
 */
function refusalText(refusal: Refusal, isHead: boolean, ownHeaders: Readonly<Record<string, string>>): string {
  const requestId = randomUUID()
  const { status, headers, body } = problem(refusal)
  const text = String(body)
  const all = {
    ...commonHeaders,
    ...headers,
    'content-length': String(Buffer.byteLength(text)),
    ...ownHeaders,
    'x-request-id': requestId,
    date: new Date().toUTCString(),
    connection: 'close',
  }
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', isHead ? '' : text].join('\r\n')
}

/** A host with an optional port (RFC 3986, section 3.2.2). Empty when a client knows none. */
const host = /^(?:\[[\d:.a-f]+\]|[\w.~!$&'()*+,;=%-]*)(?::\d*)?$/i
const absolute = /^https?:\/\/([^/?]+)(.*)$/i

/**
 * Normalizes the target of a request to a path with its query, and `Host` to the host of an absolute target (RFC 9112, section 3.2).
 * Returns an error message when one of them is invalid.
 */
function readTarget(request: IncomingMessage): string | undefined {
  const { method, url = '', headers, httpVersion } = request
  let hosts = 0
  // The raw headers, since Node.js keeps only the first `Host`.
  for (let at = 0; at < request.rawHeaders.length; at += 2) {
    const name = request.rawHeaders[at]
    if (name?.length === 4 && name.toLowerCase() === 'host') hosts += 1
  }
  if (hosts > 1) return 'A request must not have several Host headers.'
  if (hosts === 0 && httpVersion === '1.1') return 'HTTP/1.1 requires a Host header.'
  if (!host.test(headers.host ?? '')) return 'The Host header is invalid.'
  if (url.includes('#')) return 'The request target must not have a fragment.'
  if (url.startsWith('/')) return undefined
  if (url === '*' && method === 'OPTIONS') return undefined
  const [, authority, rest = ''] = absolute.exec(url) ?? []
  if (authority === undefined || !host.test(authority)) return 'The request target must be a path or an HTTP URL.'
  headers.host = authority
  request.url = rest.startsWith('/') ? rest : `/${rest}`
  return undefined
}
