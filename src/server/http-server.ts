import { randomUUID } from 'node:crypto'
import {
  createServer,
  type IncomingMessage,
  type RequestListener,
  type Server,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import type { Config } from '../config.ts'
import { type ErrorCode, Refusal } from '../errors.ts'
import { commonHeaders } from '../http/response.ts'
import type { Log } from '../log.ts'
import { problem } from '../rest/problem.ts'
import { apiVersions } from '../rest/versions.ts'
import type { AcceptedConnections } from './accepted-connections.ts'
import { Arrivals } from './arrivals.ts'
import { limitConnections } from './connections.ts'
import { Pipelines } from './pipelines.ts'
import { readTarget } from './target.ts'
import { timeouts as fixedTimeouts } from './timeouts.ts'

/** The codes of Node.js for a request that does not arrive in time, and for a connection that ends in the middle of one. */
const late = 'ERR_HTTP_REQUEST_TIMEOUT'
const incomplete = 'HPE_INVALID_EOF_STATE'

/** The refusals of what Node.js reports. Anything else is not valid HTTP. */
const refusals = {
  [late]: ['REQUEST_TIMEOUT', 'The request did not arrive in time.'],
  HPE_HEADER_OVERFLOW: ['HEADERS_TOO_LARGE', 'The headers of the request are too large.'],
  HPE_CHUNK_EXTENSIONS_OVERFLOW: ['PAYLOAD_TOO_LARGE', 'The chunk extensions are too long.'],
} as const satisfies Readonly<Record<string, readonly [ErrorCode, string]>>

/** The maximum number of headers of a request. */
const maxHeaders = 100

/** Limits of a server. */
export type HttpLimits = Pick<Config, 'connectionsPerAddress' | 'headerSize' | 'timeouts' | 'trustedProxies'>

/** `UNAVAILABLE` for an address that has too many connections or requests. */
export function tooManyAtOnce(): Refusal {
  return new Refusal(
    'UNAVAILABLE',
    'There are too many connections or requests from this address. Wait for some of them to end.',
  )
}

/**
 * Creates a server that responds with a problem document to malformed HTTP (RFC 9110 and 9112) and to clients that exceed its limits,
 * and closes the connection.
 */
export function createHttpServer(
  listener: RequestListener,
  limits: HttpLimits,
  { accepted, log }: { readonly accepted: AcceptedConnections; readonly log: Log },
): Server {
  const { connectionsPerAddress, headerSize, timeouts, trustedProxies } = limits
  const options = {
    maxHeaderSize: headerSize,
    // Node.js requires the first to be the shorter one.
    headersTimeout: Math.min(timeouts.headers, timeouts.request),
    requestTimeout: timeouts.request,
    connectionsCheckingInterval: Math.min(fixedTimeouts.check, timeouts.headers / 4),
    keepAliveTimeout: timeouts.idle,
    requireHostHeader: false,
  }
  const server = createServer(options)
  // Node.js drops further headers.
  server.maxHeadersCount = maxHeaders + 1
  const arrivals = new Arrivals(server, accepted)
  const pipelines = new Pipelines(listener, arrivals)
  /** The connections that are closed after a response. Nothing that follows on them is executed. */
  const ending = new WeakSet<Duplex>()
  const refuse = (response: ServerResponse, code: ErrorCode, why: string) => {
    ending.add(response.req.socket)
    arrivals.discard(response.req.socket)
    writeRefusal(response, code, why)
  }
  server.on('request', (request, response) => {
    if (ending.has(request.socket)) return
    const fault = readTarget(request)
    const hasTooMany = request.rawHeaders.length > 2 * maxHeaders
    if (hasTooMany) refuse(response, ...refusals.HPE_HEADER_OVERFLOW)
    else if (fault !== undefined) refuse(response, 'BAD_REQUEST', fault)
    else {
      if (request.headers.upgrade !== undefined && hasBody(request)) {
        // Node.js drops what it gets together with the end of the body, so the rest of the connection has lost its beginning.
        ending.add(request.socket)
        response.setHeader('connection', 'close')
      }
      pipelines.add(request, response)
    }
  })
  server.setTimeout(timeouts.response + fixedTimeouts.idle)
  if (trustedProxies === 0) {
    const tooMany = () => message(refusalResponse(tooManyAtOnce()))
    limitConnections(server, { most: connectionsPerAddress, message: tooMany, log })
  }
  // After the limit, since a connection that is reset has been accepted too.
  server.on('connection', () => accepted.note())
  server.on('checkExpectation', (_request, response) =>
    refuse(response, 'BAD_REQUEST', 'The only supported expectation is 100-continue.'),
  )

  const responses = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => responses.set(socket, response))
  /** Answers what is not a request, after the requests before it, and closes the connection. */
  function refuseConnection(socket: Duplex, text: string): void {
    arrivals.discard(socket)
    pipelines.refuse(socket, () => {
      const last = responses.get(socket)
      const isMidResponse = last?.headersSent === true && !last.writableFinished
      if (!socket.writable || isMidResponse) {
        socket.destroy()
        return
      }
      socket.end(text)
      setTimeout(() => socket.destroy(), fixedTimeouts.linger).unref()
    })
  }
  /** Gives a request its time again. It is late because earlier ones are, which is not the fault of its client. */
  function extend(socket: Duplex): void {
    const last = responses.get(socket)?.req
    const hasHeaders = last?.complete === false
    setTimeout(() => {
      const hasArrived = hasHeaders ? last.complete : responses.get(socket)?.req !== last
      if (hasArrived || socket.destroyed) return
      // Node.js reports it only once.
      if (arrivals.isBehind(socket)) extend(socket)
      else refuseConnection(socket, errorResponse(late, arrivals.isHead(socket)))
    }, timeouts.request).unref()
  }
  server.on('connect', (_request, socket) => {
    // Node.js has removed its own listeners.
    socket.on('error', () => socket.destroy())
    refuseConnection(socket, message(refusalResponse(new Refusal('BAD_REQUEST', 'CONNECT is not supported.'))))
  })
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Duplex) => {
    const isBehind = arrivals.isBehind(socket)
    const hasLeft = code === 'ECONNRESET' || (code === incomplete && isBehind)
    if (code === late && isBehind) extend(socket)
    else if (hasLeft) socket.destroy()
    else refuseConnection(socket, errorResponse(code ?? '', arrivals.isHead(socket)))
  })
  return server
}

function hasBody({ headers }: IncomingMessage): boolean {
  return headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) > 0
}

function writeRefusal(response: ServerResponse, code: ErrorCode, why: string): void {
  const { status, headers, body } = refusalResponse(new Refusal(code, why))
  response.writeHead(status, headers).end(body)
}

/** The response to HEAD has no body (RFC 9110, section 9.3.2). */
function errorResponse(code: string, isHead: boolean): string {
  const known = Object.entries(refusals).find(([reported]) => reported === code)
  const [refusal, why] = known?.[1] ?? (['BAD_REQUEST', 'The request is not valid HTTP.'] as const)
  const response = refusalResponse(new Refusal(refusal, why))
  return message(isHead ? { ...response, body: '' } : response)
}

type TextResponse = { readonly status: number; readonly headers: Record<string, string>; readonly body: string }

const closing = { connection: 'close' }

function refusalResponse(refusal: Refusal): TextResponse {
  const requestId = randomUUID()
  const { status, headers, body } = problem(refusal, requestId)
  const text = String(body)
  const own = { 'content-length': String(Buffer.byteLength(text)), 'api-version': apiVersions.posts }
  const more = { 'x-request-id': requestId, ...closing }
  return { status, headers: { ...commonHeaders, ...headers, ...own, ...more }, body: text }
}

function message({ status, headers, body }: TextResponse): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
