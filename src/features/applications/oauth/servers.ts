import type { FastifyRequest } from 'fastify'
import { LRUCache } from 'lru-cache'
import type Provider from 'oidc-provider'
import { Refusal } from '../../../engine/errors.ts'
import type { Services } from '../../../engine/execution/request-context.ts'
import { issuerFor, type UrlSettings } from '../../../engine/http/origin.ts'
import type { Log } from '../../../engine/log.ts'
import { type RelyingParty, relyingPartyOf } from '../../accounts/second-factor/passkeys.ts'
import { sessionCookie } from './browser.ts'
import { devicePages, type Render } from './device-pages.ts'
import { createProvider } from './provider.ts'
import { responder } from './provider-request.ts'

/** What the authorization server depends on. */
export type OAuthService = Omit<Services, 'readerOf' | 'isResultHidden' | 'estimates'> &
  UrlSettings & {
    readonly log: Log
    /** Whether metadata documents may be on this machine. */
    readonly clientMetadataLoopback: boolean
  }

/** The authorization server of one issuer. */
export type Server = {
  readonly issuer: string
  readonly provider: Provider
  readonly respond: ReturnType<typeof responder>
  /** What passkeys are bound to; undefined where there can be none. */
  readonly relyingParty: RelyingParty | undefined
  /** The options of the cookie of a session. */
  readonly sessionCookie: ReturnType<typeof sessionCookie>
}

/** Finds the authorization server that a request is for. Throws `NOT_FOUND` where there is none. */
export type FindServer = (request: FastifyRequest) => Server

/** The authorization servers: one, or without a public URL one for each origin of this machine that is in use. */
export function authorizationServers(service: OAuthService, render: Render): FindServer {
  const servers = new LRUCache<string, Server>({ max: 4 })
  return ({ raw }) => {
    const issuer = issuerFor(raw, service)
    if (issuer === undefined)
      throw new Refusal('NOT_FOUND', 'Applications can only connect to a server with a PUBLIC_URL. Ask its operator.')
    const known = servers.get(issuer)
    if (known) return known
    const provider = createProvider({
      issuer,
      database: service.database.write.prisma,
      registration: service.clientRegistration,
      mcp: service.mcp,
      metadataLoopback: service.clientMetadataLoopback,
      pages: devicePages(render),
      sendsMail: service.mail !== undefined,
      forget: (userId) => service.viewers.forget(userId),
    })
    const server = {
      issuer,
      provider,
      respond: responder(provider),
      relyingParty: relyingPartyOf(issuer, service.siteName),
      sessionCookie: sessionCookie(issuer),
    }
    servers.set(issuer, server)
    return server
  }
}
