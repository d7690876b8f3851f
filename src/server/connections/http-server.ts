import { createServer, type RequestListener, type Server, type ServerResponse } from 'node:http'
import type { Duplex } from 'node:stream'
import type { Config } from '../../config.ts'
import { Refusal } from '../../errors.ts'
import type { Log } from '../../log.ts'
import { timeouts as fixedTimeouts } from '../timeouts.ts'
import type { AcceptedConnections } from '../turns/connections-first.ts'
import { Arrivals } from './arrivals.ts'
import { connectionsInHeap, limitAllConnections, limitConnections } from './connection-limits.ts'
import { Pipelines } from './pipelines.ts'
import { headersTooLarge, late, refusalOf, refusalResponse, refusalText, tooManyAtOnce } from './refusal-response.ts'
import { readTarget } from './target.ts'

/** The code with which Node.js reports a connection that ends in the middle of a request. */
const incomplete = 'HPE_INVALID_EOF_STATE'

/** The maximum number of headers of a request. */
const maxHeaders = 100

/** Limits of a server. */
export type HttpLimits = Pick<Config, 'connectionsPerAddress' | 'headerSize' | 'timeouts' | 'trustedProxies'>

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
  // New connections are read in turns.
  const server = Object.assign(createServer(options), { pauseOnConnect: true })
  // Node.js drops further headers.
  server.maxHeadersCount = maxHeaders + 1
  const arrivals = new Arrivals(server, accepted)
  const pipelines = new Pipelines(listener, arrivals)
  /** Refuses a request. Nothing that follows on its connection is parsed. */
  const refuse = (response: ServerResponse, refusal: Refusal) => {
    arrivals.discard(response.req.socket)
    const { status, headers, body } = refusalResponse(refusal)
    response.writeHead(status, headers).end(body)
  }
  server.on('request', (request, response) => {
    const fault = readTarget(request)
    const hasTooMany = request.rawHeaders.length > 2 * maxHeaders
    if (hasTooMany) refuse(response, refusalOf(headersTooLarge))
    else if (fault !== undefined) refuse(response, new Refusal('BAD_REQUEST', fault))
    else pipelines.add(request, response)
  })
  limitAllConnections(server, connectionsInHeap(headerSize), log)
  server.setTimeout(timeouts.response + fixedTimeouts.idle)
  if (trustedProxies === 0) {
    limitConnections(server, { most: connectionsPerAddress, message: () => refusalText(tooManyAtOnce()), log })
  }
  // After the limit. Before Node.js 22.13, connections that are opened too fast count here too.
  server.on('connection', () => accepted.note())
  server.on('checkExpectation', (_request, response) =>
    refuse(response, new Refusal('BAD_REQUEST', 'The only supported expectation is 100-continue.')),
  )

  /**
   * Refuses malformed or late input once the requests before it have responses, and closes the connection. If the input belongs to the body
   * of a request that already has a response, no other one is sent.
   */
  function refuseConnection(socket: Duplex, text: string): void {
    arrivals.discard(socket)
    pipelines.refuse(socket, () => {
      const last = arrivals.lastResponse(socket)
      const isMidResponse = last?.headersSent === true && !last.writableFinished
      if (!socket.writable || isMidResponse) {
        socket.destroy()
        return
      }
      const isRestOfAnswered = last?.headersSent === true && !last.req.complete
      arrivals.end(socket, isRestOfAnswered ? '' : text)
    })
  }
  /** Gives a late request the whole time again. It is late because of earlier ones, which is not its client's fault. */
  function extend(socket: Duplex): void {
    const last = arrivals.lastResponse(socket)?.req
    const hasHeaders = last?.complete === false
    setTimeout(() => {
      const next = arrivals.lastResponse(socket)?.req
      const hasBegun = next !== last
      const hasArrived = hasHeaders ? last.complete : hasBegun && next?.complete
      if (hasArrived || socket.destroyed) return
      // Node.js reports it only once.
      if (hasBegun || arrivals.isBehind(socket)) extend(socket)
      else refuseConnection(socket, refusalText(refusalOf(late), arrivals.isHead(socket)))
    }, timeouts.request).unref()
  }
  server.on('connect', (_request, socket) => {
    // Node.js has removed its own listeners.
    socket.on('error', () => socket.destroy())
    refuseConnection(socket, refusalText(new Refusal('BAD_REQUEST', 'CONNECT is not supported.')))
  })
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Duplex) => {
    const isBehind = arrivals.isBehind(socket)
    const hasLeft = code === 'ECONNRESET' || (code === incomplete && isBehind)
    if (code === late && isBehind) extend(socket)
    else if (hasLeft) socket.destroy()
    else refuseConnection(socket, refusalText(refusalOf(code ?? ''), arrivals.isHead(socket)))
  })
  return server
}
