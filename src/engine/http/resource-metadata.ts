import type { FastifyInstance } from 'fastify'
import type { Scope } from '../scopes.ts'
import { issuerFor, type UrlSettings } from './issuer.ts'
import { mcpPath, pathOf, surfaceOf } from './url.ts'

/** The path of the metadata of a protected resource (RFC 9728, section 3), which stands before the path of the resource. */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/**
 * Names the metadata of the resource, with the authorization server, in the challenge of each 401 (RFC 9728, section 5.1). Agents are also told which
 * scopes to begin with, and where they get more.
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
