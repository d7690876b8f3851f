import type { FastifyInstance } from 'fastify'
import { z } from 'zod'
import { addReadOnly } from '../../../engine/http/allowed-methods.ts'
import { resourceMetadataPath } from '../../../engine/http/resource-metadata.ts'
import { sendResponse } from '../../../engine/http/response.ts'
import { mcpPath } from '../../../engine/http/url.ts'
import { scopes } from '../../base/scopes.ts'
import { providerRequest } from './provider-request.ts'
import type { FindServer, OAuthService } from './servers.ts'

const document = z.record(z.string(), z.unknown())

/** What the library says about OpenID Connect, of which nothing is offered. */
const ofOpenId = new Set([
  ...['claims_parameter_supported', 'claims_supported', 'claim_types_supported', 'subject_types_supported'],
  ...['id_token_signing_alg_values_supported', 'jwks_uri', 'request_uri_parameter_supported', 'acr_values_supported'],
  'token_endpoint_auth_signing_alg_values_supported',
])

/** Adds the metadata of the authorization server (RFC 8414) and of the resources that its tokens are for (RFC 9728). */
export function addMetadata(scope: FastifyInstance, service: OAuthService, serverOf: FindServer): void {
  const json = { 'content-type': 'application/json' }
  // A path of the issuer comes after the name, where a proxy may send it here, or before it.
  const { publicUrl, prefix, siteName, mcp } = service
  const base = publicUrl === undefined ? prefix : new URL(publicUrl).pathname.replace(/\/$/, '')
  const places = (path: string, below = '') => [...new Set([path + below, path + base + below])]

  for (const name of ['oauth-authorization-server', 'openid-configuration'])
    for (const url of places(`/.well-known/${name}`))
      addReadOnly(scope, url, async (request, reply) => {
        const { issuer, respond } = serverOf(request)
        const answer = await respond(providerRequest(request, issuer, '/.well-known/oauth-authorization-server'))
        const known = document.parse(JSON.parse(String(answer.kept.body)))
        const own = Object.entries(known).filter(([field]) => name === 'openid-configuration' || !ofOpenId.has(field))
        const metadata = { ...Object.fromEntries(own), scopes_supported: scopes, response_modes_supported: ['query'] }
        return sendResponse(reply, { status: 200, headers: json, body: JSON.stringify(metadata) })
      })

  for (const below of mcp ? ['', mcpPath] : [''])
    for (const url of places(resourceMetadataPath, below))
      addReadOnly(scope, url, async (request, reply) => {
        const { issuer } = serverOf(request)
        const metadata = {
          resource: issuer + below,
          authorization_servers: [issuer],
          scopes_supported: scopes,
          bearer_methods_supported: ['header'],
          resource_name: siteName,
          resource_documentation: `${issuer}/api/v1/docs`,
        }
        return sendResponse(reply, { status: 200, headers: json, body: JSON.stringify(metadata) })
      })
}
