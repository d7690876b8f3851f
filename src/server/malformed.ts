import { randomUUID } from 'node:crypto'
import {
  createServer,
  type RequestListener,
  type Server,
  type ServerOptions,
  type ServerResponse,
  STATUS_CODES,
} from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../errors.ts'
import { problem } from '../rest/problem.ts'
import { apiVersions } from '../rest/route.ts'
import { everywhere } from './answer.ts'
import { Pipelines } from './pipelines.ts'
import { readTarget } from './target.ts'

/** What Node.js answers by itself: a request that takes too long, and one with too long a head. */
const bare: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** A server that refuses what is no HTTP (RFC 9110 and 9112) in the form of all refusals, and ends the connection with it. */
export function createHttpServer(listener: RequestListener, options: ServerOptions = {}): Server {
  const pipelines = new Pipelines(listener)
  const server = createServer({ ...options, requireHostHeader: false }, (request, response) => {
    const fault = readTarget(request)
    if (fault === undefined) pipelines.add(request, response)
    else refuse(response, fault)
  })
  server.on('checkExpectation', (_request, response) => refuse(response, 'Nothing can be expected but 100-continue.'))
  server.on('connect', (_request, socket) => {
    socket.end(message(answerWith(new Refusal('BAD_REQUEST', 'There are no tunnels here.'))))
  })

  const responses = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => responses.set(socket, response))
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Duplex) => {
    const last = responses.get(socket)
    const isMidAnswer = last?.headersSent === true && !last.writableFinished
    if (code === 'ECONNRESET' || !socket.writable || isMidAnswer) socket.destroy()
    else socket.end(answerTo(code ?? ''))
  })
  return server
}

function refuse(response: ServerResponse, why: string): void {
  const { status, headers, body } = answerWith(new Refusal('BAD_REQUEST', why))
  response.writeHead(status, headers).end(body)
}

function answerTo(code: string): string {
  const status = bare[code]
  if (status !== undefined) return message({ status, headers: closing, body: '' })
  const refusal =
    code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW'
      ? new Refusal('PAYLOAD_TOO_LARGE', 'The extensions of its chunks are too long.')
      : new Refusal('BAD_REQUEST', 'This is not HTTP.')
  return message(answerWith(refusal))
}

type Whole = { readonly status: number; readonly headers: Record<string, string>; readonly body: string }

const closing = { connection: 'close' }

function answerWith(refusal: Refusal): Whole {
  const requestId = randomUUID()
  const { status, headers, body = '' } = problem(refusal, { challenge: '', requestId })
  const own = { 'api-version': apiVersions.posts, 'x-request-id': requestId }
  return { status, headers: { ...everywhere, ...headers, ...own, ...closing }, body }
}

function message({ status, headers, body }: Whole): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
