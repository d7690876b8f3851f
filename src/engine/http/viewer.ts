import { mapMaybePromise } from '@whatwg-node/promise-helpers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Viewers } from '../auth/viewers.ts'
import type { Audience } from '../data/generated/prisma/enums.ts'
import { isUnavailable } from '../data/unavailable.ts'
import { InvalidToken, type Refusal, SuspendedAccount } from '../errors.ts'
import type { ApiRequest } from '../execution/request-context.ts'
import type { Log } from '../log.ts'
import { clientAddress } from './client-address.ts'
import { whenKnown } from './when-known.ts'

declare module 'fastify' {
  interface FastifyRequest extends Pick<ApiRequest, 'viewer' | 'tokenRefusal' | 'address' | 'account'> {}
}

const credentials = /^Bearer +(rookery_[\w-]{43})$/i
const bearer = /^Bearer /i

const otherScheme =
  'The Authorization header must have the form "Bearer <token>", with a token that begins with "rookery_".'

/** What the address of a client depends on. */
type Network = { readonly trustedProxies: number; readonly log: Log }

/** Finds the address that sends each request. Until its token is looked up, nothing else is known of who sent it. */
export function addAddress(server: FastifyInstance, { trustedProxies, log }: Network): void {
  for (const name of ['viewer', 'tokenRefusal', 'address', 'account']) server.decorateRequest(name)
  server.addHook('onRequest', (request, _reply, done) => {
    const address = clientAddress(request.raw, trustedProxies, log)
    Object.assign(request, { address, account: address })
    done()
  })
}

/** Finds the viewers of the requests of a scope, by their `Authorization` header (RFC 6750, section 2.1). A token for another audience is invalid. */
export function addViewer(scope: FastifyInstance, viewers: Viewers, audience: Audience = 'API'): void {
  scope.addHook('onRequest', (request, _reply, done) =>
    whenKnown(findViewer(request, viewers, audience), (found) => Object.assign(request, found), done),
  )
}

type Found = Pick<FastifyRequest, 'viewer' | 'tokenRefusal' | 'account'>

function findViewer(
  { raw, address }: FastifyRequest,
  viewers: Viewers,
  audience: Audience = 'API',
): Found | Promise<Found> {
  const { authorization } = raw.headers
  const without = (tokenRefusal: Refusal | undefined) => ({ viewer: undefined, tokenRefusal, account: address })
  if (authorization === undefined) return without(undefined)
  const [, token] = credentials.exec(authorization) ?? []
  if (token === undefined)
    return without(bearer.test(authorization) ? new InvalidToken() : new InvalidToken(otherScheme))
  return mapMaybePromise(viewers.of(token), (viewer) => {
    if (!viewer || (viewer.audience !== null && viewer.audience !== audience)) return without(new InvalidToken())
    if (viewer.isSuspended) return without(new SuspendedAccount())
    return { viewer, tokenRefusal: undefined, account: viewer.id }
  })
}

/** Checks the token of a request again. While the database does not respond, what was found before counts. */
export async function checkTokenAgain(request: FastifyRequest, viewers: Viewers): Promise<FastifyRequest> {
  try {
    return Object.assign(request, await findViewer(request, viewers))
  } catch (error) {
    if (!isUnavailable(error)) throw error
    return request
  }
}
