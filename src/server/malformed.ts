import { randomUUID } from 'node:crypto'
import { type Server, type ServerResponse, STATUS_CODES } from 'node:http'
import type { Duplex } from 'node:stream'
import { Refusal } from '../errors.ts'
import { problem } from '../rest/problem.ts'
import { everywhere } from './answer.ts'

/** What Node.js answers by itself: a request that takes too long, and one with too long a head. */
const bare: Readonly<Record<string, number>> = { ERR_HTTP_REQUEST_TIMEOUT: 408, HPE_HEADER_OVERFLOW: 431 }

/** Lets a server answer what is no HTTP (RFC 9112) in the form of all refusals, and end the connection. */
export function refuseMalformed(server: Server): void {
  const responses = new WeakMap<Duplex, ServerResponse>()
  server.on('request', ({ socket }, response) => responses.set(socket, response))
  server.on('clientError', ({ code }: NodeJS.ErrnoException, socket: Duplex) => {
    const last = responses.get(socket)
    const isMidAnswer = last?.headersSent === true && !last.writableFinished
    if (code === 'ECONNRESET' || !socket.writable || isMidAnswer) socket.destroy()
    else socket.end(answerTo(code ?? ''))
  })
}

function answerTo(code: string): string {
  const status = bare[code]
  if (status !== undefined) return message(status, {})
  const refusal =
    code === 'HPE_CHUNK_EXTENSIONS_OVERFLOW'
      ? new Refusal('PAYLOAD_TOO_LARGE', 'The extensions of its chunks are too long.')
      : new Refusal('BAD_REQUEST', 'This is not HTTP.')
  const requestId = randomUUID()
  const { status: refused, headers, body } = problem(refusal, { challenge: '', requestId })
  return message(refused, { ...everywhere, ...headers, 'api-version': 'V26.07.22', 'x-request-id': requestId }, body)
}

function message(status: number, headers: Readonly<Record<string, string>>, body = ''): string {
  const lines = Object.entries({ ...headers, connection: 'close' }).map(([name, value]) => `${name}: ${value}`)
  return [`HTTP/1.1 ${status} ${STATUS_CODES[status]}`, ...lines, '', body].join('\r\n')
}
