import { mapMaybePromise } from '@whatwg-node/promise-helpers'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { isUnavailable } from '../data/unavailable.ts'
import type { Sessions } from '../domain/sessions.ts'
import { InvalidToken, SuspendedAccount } from '../errors.ts'
import type { Log } from '../log.ts'
import type { Identity } from '../schema/context.ts'
import { clientAddress } from './client-address.ts'
import { whenKnown } from './when-known.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** Who sent the request; until its token is looked up, only the address is known. */
    identity: Identity
  }
}

const credentials = /^Bearer +(rookery_[\w-]{43})$/i
const bearer = /^Bearer /i

const otherScheme =
  'The Authorization header must have the form "Bearer <token>", with a token that begins with "rookery_".'

/** What the address of a client depends on. */
type Network = { readonly trustedProxies: number; readonly log: Log }

/** Finds the address that sends each request. */
export function addAddress(server: FastifyInstance, { trustedProxies, log }: Network): void {
  server.decorateRequest('identity')
  server.addHook('onRequest', (request, _reply, done) => {
    const address = clientAddress(request.raw, trustedProxies, log)
    request.identity = { address, account: address }
    done()
  })
}

/** Finds who sends the requests of a scope, by their `Authorization` header (RFC 6750, section 2.1). */
export function addIdentity(scope: FastifyInstance, sessions: Sessions): void {
  scope.addHook('onRequest', (request, _reply, done) =>
    whenKnown(identify(request, sessions), (identity) => Object.assign(request, { identity }), done),
  )
}

/** Who sends a request. */
function identify({ raw, identity }: FastifyRequest, sessions: Sessions): Identity | Promise<Identity> {
  const { authorization } = raw.headers
  const { address } = identity
  const anonymous = { address, account: address }
  if (authorization === undefined) return anonymous
  const [, token] = credentials.exec(authorization) ?? []
  if (token === undefined)
    return { ...anonymous, refusal: bearer.test(authorization) ? new InvalidToken() : new InvalidToken(otherScheme) }
  return mapMaybePromise(sessions.of(token), (session) => {
    if (!session) return { ...anonymous, refusal: new InvalidToken() }
    if (session.isSuspended) return { ...anonymous, refusal: new SuspendedAccount() }
    return { session, address, account: session.viewerId }
  })
}

/** Checks the token of a request again. While the database does not respond, what was found before counts. */
export async function identifyAgain(request: FastifyRequest, sessions: Sessions): Promise<Identity> {
  try {
    request.identity = await identify(request, sessions)
  } catch (error) {
    if (!isUnavailable(error)) throw error
  }
  return request.identity
}
