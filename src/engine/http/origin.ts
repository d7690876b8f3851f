import type { IncomingMessage } from 'node:http'
import type { FastifyInstance } from 'fastify'
import type { Scope } from '../scopes.ts'
import { mcpPath, pathOf, surfaceOf } from './url.ts'

/** Whether an address, or a host with or without a port, is of this machine itself. */
export const isLoopback = (host: string): boolean =>
  /^(?:(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d{1,5})?|::1|::ffff:127(?:\.\d{1,3}){3})$/.test(host)

/**
 * The origin that the client used, such as `https://social.example.org`. Behind trusted reverse proxies, the outermost of them says the
 * scheme in `X-Forwarded-Proto`, whether the others replace or extend it. Undefined where nothing tells.
 */
function requestedOrigin({ headers }: IncomingMessage, trustedProxies: number): string | undefined {
  const forwarded = String(headers['x-forwarded-proto'] ?? '').split(',')
  const scheme = trustedProxies === 0 ? 'http' : forwarded.at(-Math.min(trustedProxies, forwarded.length))?.trim()
  return headers.host && /^https?$/.test(scheme ?? '') ? `${scheme}://${headers.host}` : undefined
}

/** What the URLs of a server follow from. */
export type UrlSettings = {
  /** What links begin with. Undefined if it is not configured. */
  readonly publicUrl: string | undefined
  /** What precedes all paths for clients, such as `/social`. */
  readonly prefix: string
  readonly trustedProxies: number
}

/**
 * The identifier of the authorization server (RFC 8414, section 2), which all its URLs begin with: the public URL or, without one,
 * where a browser of this machine reaches it. Undefined where only a header would tell, which anybody can set.
 */
export function issuerFor(
  message: IncomingMessage,
  { publicUrl, prefix, trustedProxies }: UrlSettings,
): string | undefined {
  if (publicUrl !== undefined) return publicUrl
  const origin = requestedOrigin(message, trustedProxies)
  return origin !== undefined && isLoopback(message.headers.host ?? '') ? origin + prefix : undefined
}

/** The path of the metadata of a protected resource (RFC 9728, section 3), which stands before the path of the resource. */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/**
 * Names the metadata of the resource, with the authorization server, in the challenge of each 401 (RFC 9728, section 5.1). Agents
 * are also told which scopes to begin with, and where they get more.
 */
export function addResourceMetadata(
  server: FastifyInstance,
  settings: UrlSettings,
  readingScopes: readonly Scope[],
): void {
  server.addHook('onSend', ({ raw }, reply, _payload, done) => {
    const challenge = reply.getHeader('www-authenticate')
    const isOfAgents = surfaceOf(pathOf(raw)) === 'mcp'
    const isChallenged = reply.statusCode === 401 || (isOfAgents && reply.statusCode === 403)
    const issuer = isChallenged ? issuerFor(raw, settings) : undefined
    if (issuer !== undefined && typeof challenge === 'string' && !challenge.includes('resource_metadata=')) {
      const { origin, pathname } = new URL(issuer)
      const resource = `${pathname}${isOfAgents ? mcpPath : ''}`.replace(/^\/\/?/, '/').replace(/\/$/, '')
      const scope = isOfAgents && reply.statusCode === 401 ? `, scope="${readingScopes.join(' ')}"` : ''
      const metadata = `resource_metadata="${origin}${resourceMetadataPath}${resource}"`
      reply.header('www-authenticate', `${challenge}${scope}, ${metadata}`)
    }
    done()
  })
}
