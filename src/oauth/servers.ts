import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type Provider from 'oidc-provider'
import type { Config } from '../config.ts'
import { Refusal } from '../errors.ts'
import { issuerFor } from '../http/issuer.ts'
import type { Services } from '../schema/request-context.ts'
import { devicePages, type Render } from './device-pages.ts'
import { createProvider, sessionCookie } from './provider.ts'
import { responder } from './provider-request.ts'

/** What the authorization server depends on. */
export type OAuthService = Services &
  Pick<Config, 'publicUrl' | 'prefix' | 'trustedProxies' | 'siteName' | 'clientRegistration' | 'clientMetadataLoopback'>

/** The authorization server of one issuer. */
type Server = {
  readonly issuer: string
  readonly provider: Provider
  readonly respond: ReturnType<typeof responder>
  /** The options of the cookie of a session. */
  readonly sessionCookie: ReturnType<typeof sessionCookie>
}

/** The authorization servers: one, or without a public URL one for each origin of this machine that is in use. */
export class Servers {
  readonly prefix: string
  readonly siteName: string
  readonly #service: OAuthService
  readonly #render: Render
  readonly #servers = new LRUCache<string, Server>({ max: 4 })

  constructor(service: OAuthService, render: Render) {
    this.#service = service
    this.#render = render
    this.siteName = service.siteName
    this.prefix =
      service.publicUrl === undefined ? service.prefix : new URL(service.publicUrl).pathname.replace(/\/$/, '')
  }

  /** The one that a request is for. Throws `NOT_FOUND` where there is none. */
  of({ raw }: FastifyRequest): Server {
    const issuer = issuerFor(raw, this.#service)
    if (issuer === undefined)
      throw new Refusal('NOT_FOUND', 'Applications can only connect to a server with a PUBLIC_URL. Ask its operator.')
    const known = this.#servers.get(issuer)
    if (known) return known
    const { database, viewers, clientRegistration, clientMetadataLoopback } = this.#service
    const provider = createProvider({
      issuer,
      database: database.write.prisma,
      registration: clientRegistration,
      metadataLoopback: clientMetadataLoopback,
      pages: devicePages(this.#render),
      forget: (userId) => viewers.forget(userId),
    })
    const server = { issuer, provider, respond: responder(provider), sessionCookie: sessionCookie(issuer) }
    this.#servers.set(issuer, server)
    return server
  }
}
