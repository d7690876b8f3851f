import type { FastifyInstance } from 'fastify'
import { issuerFor, type UrlSettings } from './issuer.ts'
import { mcpPath, pathOf, surfaceOf } from './url.ts'

/** The path of the metadata of a protected resource (RFC 9728, section 3), which stands before the path of the resource. */
export const resourceMetadataPath = '/.well-known/oauth-protected-resource'

/** Names the metadata of the resource, with the authorization server, in the challenge of each 401 (RFC 9728, section 5.1). */
export function addResourceMetadata(server: FastifyInstance, settings: UrlSettings): void {
  server.addHook('onSend', ({ raw }, reply, _payload, done) => {
    const challenge = reply.getHeader('www-authenticate')
    const issuer = reply.statusCode === 401 ? issuerFor(raw, settings) : undefined
    if (issuer !== undefined && typeof challenge === 'string' && !challenge.includes('resource_metadata=')) {
      const { origin, pathname } = new URL(issuer)
      const resource = `${pathname}${surfaceOf(pathOf(raw)) === 'mcp' ? mcpPath : ''}`
        .replace(/^\/\/?/, '/')
        .replace(/\/$/, '')
      reply.header('www-authenticate', `${challenge}, resource_metadata="${origin}${resourceMetadataPath}${resource}"`)
    }
    done()
  })
}
