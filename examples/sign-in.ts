import {
  allowInsecureRequests,
  type Configuration,
  discovery,
  initiateDeviceAuthorization,
  None,
  pollDeviceAuthorizationGrant,
  type TokenEndpointResponse,
} from 'openid-client'

/** The scopes that a program requests, and the resource, if that is not the APIs. */
export type Wanted = { readonly scope: string; readonly resource?: string }

/** The tokens of an account, and the configuration to refresh them with. */
export type SignedIn = { readonly config: Configuration; readonly tokens: TokenEndpointResponse }

/**
 * Signs in to the account of the person who runs a program, without their password. It shows a code, which they enter in a
 * browser, and gets tokens with the scopes that they allow there (RFC 8628).
 */
export async function signIn(url: string, clientId: string, { scope, resource }: Wanted): Promise<SignedIn> {
  // Only a server on this machine may do without TLS.
  const isHere = /^http:\/\/(?:127\.0\.0\.1|localhost|\[::1\])(?::|\/|$)/.test(url)
  const config = await discovery(new URL(url), clientId, { token_endpoint_auth_method: 'none' }, None(), {
    execute: isHere ? [allowInsecureRequests] : [],
    algorithm: 'oauth2',
  })
  const device = await initiateDeviceAuthorization(config, { scope, ...(resource && { resource }) })
  process.stderr.write(`Open ${device.verification_uri} and enter ${device.user_code}\n`)
  const tokens = await pollDeviceAuthorizationGrant(config, device)
  process.stderr.write(`Allowed: ${tokens.scope}\n`)
  return { config, tokens }
}
