import { request } from 'node:http'
import { buffer } from 'node:stream/consumers'
import { checkDocumented } from '../rest/documented-answers.ts'

/** A request whose path and headers are sent unchanged and whose body is sent in pieces. */
export type RawRequest = {
  readonly method: string
  readonly path: string
  readonly token?: string
  readonly headers?: Record<string, string>
  /** Sent chunked unless the headers have a `content-length`. */
  readonly pieces?: readonly (string | Uint8Array)[]
  /** The local address to send it from, such as another loopback address. */
  readonly from?: string
}

/** A response: header names are in lower case, the body is text. */
export type RawAnswer = {
  readonly status: number | undefined
  readonly headers: NodeJS.Dict<string | string[]>
  readonly body: string
}

/** A response with the bytes of its body. */
export type RawBytes = Omit<RawAnswer, 'body'> & { readonly body: Buffer }

/**
 * Sends a request over a connection of its own, and rejects when the connection breaks before the whole answer is there, or when
 * the REST interface gives an answer that is not documented.
 */
export async function sendRaw(origin: string, request: RawRequest): Promise<RawAnswer> {
  const bytes = await sendForBytes(origin, request)
  const answer = { ...bytes, body: bytes.body.toString() }
  if (request.path.startsWith('/api/v1')) {
    const headers = Object.entries(answer.headers).map(([name, value]) => [name, String(value)] as const)
    checkDocumented({ ...request, ...answer, headers: new Map(headers) })
  }
  return answer
}

/** Sends a request over a new connection. Rejects if the connection closes before the response is complete. */
export function sendForBytes(
  origin: string,
  { method, path, token, headers, pieces = [], from }: RawRequest,
): Promise<RawBytes> {
  return new Promise((resolve, reject) => {
    const authorization = token === undefined ? {} : { authorization: `Bearer ${token}` }
    const place = from === undefined ? {} : { localAddress: from }
    const message = request(origin, { method, path, agent: false, headers: { ...authorization, ...headers }, ...place })
    message.on('error', reject)
    message.on('response', (response) => {
      const { statusCode: status, headers } = response
      buffer(response).then((body) => resolve({ status, headers, body }), reject)
    })
    for (const piece of pieces) message.write(piece)
    message.end()
  })
}
