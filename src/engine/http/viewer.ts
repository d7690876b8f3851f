import type { IncomingMessage } from 'node:http'
import { isIP, isIPv6, SocketAddress } from 'node:net'
import { mapMaybePromise } from '@whatwg-node/promise-helpers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { TokenCache } from '../auth/viewers.ts'
import type { Audience } from '../data/generated/prisma/enums.ts'
import { isUnavailable } from '../data/unavailable.ts'
import { InvalidToken, type Refusal } from '../errors.ts'
import type { ApiRequest } from '../execution/request-context.ts'
import type { Log } from '../log.ts'
import { continueWith } from './request-budget.ts'

/** The logs that have the warning already: it is written once. */
const warned = new WeakSet<Log>()

/**
 * The address that identifies a client in rate limits: that of its connection or, behind trusted reverse proxies, the one that the
 * outermost of them added to `X-Forwarded-For`. Clients can forge the entries before it.
 */
export function clientAddress({ headers, socket }: IncomingMessage, trustedProxies: number, log: Log): string {
  const direct = countedAddress(socket.remoteAddress ?? '')
  if (trustedProxies === 0) return direct
  const entry = String(headers['x-forwarded-for'] ?? '')
    .split(',')
    .at(-trustedProxies)
    ?.trim()
  if (!entry) return direct
  const address = addressIn(entry)
  if (isIP(address)) return countedAddress(address)
  if (!warned.has(log)) log.warn('an entry of X-Forwarded-For is not an address: the address of the connection counts')
  warned.add(log)
  return direct
}

/** Removes the quotes, brackets and port that some proxies add to an address. */
function addressIn(entry: string): string {
  const bare = entry.replace(/^"(.*)"$/, '$1')
  const [, bracketed, plain] = /^(?:\[(.*)\]|([^:]*))(?::\d{1,5})?$/.exec(bare) ?? []
  return bracketed ?? plain ?? bare
}

/** An IPv6 address counts as its /64 network, since a client usually controls all of it, or as the IPv4 address that it contains. */
function countedAddress(address: string): string {
  const plain = address.replace(/%.*$/, '')
  if (!isIPv6(plain)) return plain
  // In its canonical form (RFC 5952).
  const { address: canonical } = new SocketAddress({ address: plain, family: 'ipv6' })
  const [, mapped] = /^::ffff:([\d.]+)$/.exec(canonical) ?? []
  if (mapped !== undefined) return mapped
  const written = canonical.split(':').filter((group) => group !== '').length
  const groups = canonical
    .replace('::', `:${'0:'.repeat(8 - written)}`)
    .replace(/^:/, '')
    .split(':')
  return `${groups.slice(0, 4).join(':')}::/64`
}

declare module 'fastify' {
  interface FastifyRequest extends Pick<ApiRequest, 'viewer' | 'tokenRefusal' | 'address' | 'rateLimitKey'> {}
}

const credentials = /^Bearer +(rookery_[\w-]{43})$/i
const bearer = /^Bearer /i

const otherScheme =
  'The Authorization header must have the form "Bearer <token>", with a token that begins with "rookery_".'

/** What the address of a client depends on. */
type Network = { readonly trustedProxies: number; readonly log: Log }

/** Finds the address that sends each request. Until its token is looked up, nothing else is known of who sent it. */
export function addAddress(server: FastifyInstance, { trustedProxies, log }: Network): void {
  for (const name of ['viewer', 'tokenRefusal', 'address', 'rateLimitKey']) server.decorateRequest(name)
  server.addHook('onRequest', (request, _reply, done) => {
    const address = clientAddress(request.raw, trustedProxies, log)
    Object.assign(request, { address, rateLimitKey: address })
    done()
  })
}

/**
 * Finds the viewers of the requests of a scope, by their `Authorization` header (RFC 6750, section 2.1). A token for another
 * audience is invalid.
 */
export function addViewer(scope: FastifyInstance, viewers: TokenCache, audience: Audience = 'API'): void {
  scope.addHook('onRequest', (request, _reply, done) =>
    continueWith(findViewer(request, viewers, audience), (found) => Object.assign(request, found), done),
  )
}

type Found = Pick<FastifyRequest, 'viewer' | 'tokenRefusal' | 'rateLimitKey'>

function findViewer(
  { raw, address }: FastifyRequest,
  viewers: TokenCache,
  audience: Audience = 'API',
): Found | Promise<Found> {
  const { authorization } = raw.headers
  const without = (tokenRefusal: Refusal | undefined) => ({ viewer: undefined, tokenRefusal, rateLimitKey: address })
  if (authorization === undefined) return without(undefined)
  const [, token] = credentials.exec(authorization) ?? []
  if (token === undefined)
    return without(bearer.test(authorization) ? new InvalidToken() : new InvalidToken(otherScheme))
  return mapMaybePromise(viewers.of(token), (viewer) => {
    if (!viewer || (viewer.audience !== null && viewer.audience !== audience)) return without(new InvalidToken())
    return { viewer, tokenRefusal: undefined, rateLimitKey: viewer.id }
  })
}

/** Checks the token of a request again. While the database does not respond, what was found before counts. */
export async function checkTokenAgain(request: FastifyRequest, viewers: TokenCache): Promise<FastifyRequest> {
  try {
    return Object.assign(request, await findViewer(request, viewers))
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return request
  }
}
