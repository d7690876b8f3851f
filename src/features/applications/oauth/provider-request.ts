import { IncomingMessage, ServerResponse } from 'node:http'
import { Socket } from 'node:net'
import type { FastifyRequest } from 'fastify'
import type Provider from 'oidc-provider'
import type { HttpResponse } from '../../../engine/http/response.ts'

/**
 * A request for the authorization server: one of the URL of the issuer, whatever its headers say, with the body that was read. It
 * is a copy, because the hooks of Fastify still need the other one.
 */
export function providerRequest(
  { raw, body, address }: FastifyRequest,
  issuer: string,
  url = raw.url ?? '/',
): IncomingMessage {
  const { host, protocol, pathname } = new URL(issuer)
  const message = new IncomingMessage(new Socket())
  const forwarded = {
    'x-forwarded-host': host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-for': address,
  }
  const length = Buffer.isBuffer(body) && { 'content-length': String(body.length), 'transfer-encoding': undefined }
  const headers = { ...raw.headers, ...forwarded, ...length }
  // Fastify leaves out the body of the response to HEAD.
  const method = raw.method === 'HEAD' ? 'GET' : raw.method
  Object.assign(message, { method, url, originalUrl: pathname.replace(/\/$/, '') + url, headers })
  if (Buffer.isBuffer(body)) message.push(body)
  message.push(null)
  return message
}

/** A response that is kept instead of sent, so that the hooks of Fastify see it. */
export class BufferedResponse extends ServerResponse {
  readonly #chunks: Buffer[] = []

  #keep(chunk: unknown): void {
    if (typeof chunk === 'string' || chunk instanceof Uint8Array) this.#chunks.push(Buffer.from(chunk))
  }

  override write(chunk: unknown): boolean {
    this.#keep(chunk)
    return true
  }

  override end(chunk?: unknown): this {
    this.#keep(chunk)
    this.emit('finish')
    return this
  }

  get cookies(): string[] {
    return [this.getHeader('set-cookie') ?? []].flat().map(String)
  }

  get kept(): HttpResponse {
    const { 'content-length': _, 'set-cookie': __, ...others } = this.getHeaders()
    const headers = Object.fromEntries(Object.entries(others).map(([name, value]) => [name, String(value)]))
    return { status: this.statusCode, headers, body: this.#chunks.length > 0 ? Buffer.concat(this.#chunks) : undefined }
  }
}

/** The session of the browser that sends a request, and what sets its cookies. */
export async function sessionOf(
  { issuer, provider }: { readonly issuer: string; readonly provider: Provider },
  request: FastifyRequest,
) {
  const message = providerRequest(request, issuer)
  const response = new BufferedResponse(message)
  const context = provider.createContext(message, response)
  return { context, response, session: await provider.Session.get(context) }
}

/** What answers requests with the authorization server. It rejects with unexpected errors, so that they are handled as all others are. */
export function responder(provider: Provider): (message: IncomingMessage) => Promise<BufferedResponse> {
  const failing = new WeakMap<IncomingMessage, (error: unknown) => void>()
  provider.on('server_error', ({ req }, error) => failing.get(req)?.(error))
  provider.use(async ({ req }, next) => {
    try {
      await next()
    } catch (error) {
      failing.get(req)?.(error)
    }
  })
  const answer: (message: IncomingMessage, response: ServerResponse) => unknown = provider.callback()
  return (message) =>
    new Promise((resolve, reject) => {
      failing.set(message, reject)
      const response = new BufferedResponse(message)
      response.once('finish', () => resolve(response))
      answer(message, response)
    })
}
