import { websiteError } from '../applications.ts'

/** The flows that applications can use. */
const grantTypes = ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'] as const

/** The members of metadata that mean something here (RFC 7591, section 2). */
const used = new Set(['client_id', 'client_name', 'client_uri', 'redirect_uris', 'grant_types'])

/** The ways to authenticate for which a server shares a secret with the client, which none has here. */
const withSecret = new Set(['client_secret_basic', 'client_secret_post', 'client_secret_jwt'])

/** Whether a value of JSON is an object. */
export const isObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

const isMember = (value: unknown) => value !== null && value !== ''

/**
 * What counts here of the metadata of a client, which may be written for other servers: of scopes, algorithms and all else that is foreign, nothing.
 * Every client is a public one.
 */
export function usedMetadata(metadata: object): Record<string, unknown> {
  const members = Object.entries(metadata).filter(([name, value]) => used.has(name) && isMember(value))
  const { client_uri: website, grant_types: flows, ...rest } = Object.fromEntries<unknown>(members)
  const known = Array.isArray(flows) ? grantTypes.filter((type) => flows.includes(type)) : []
  return {
    ...rest,
    ...(typeof website === 'string' &&
      website.startsWith('https:') &&
      !websiteError(website) && { client_uri: website }),
    ...(known.length > 0 && { grant_types: known }),
    token_endpoint_auth_method: 'none',
  }
}

/** The same of a document. What no document may have stays, so that the library refuses it: shared secrets, which everybody could read. */
export function usedOfDocument(metadata: object): Record<string, unknown> {
  const members: Record<string, unknown> = { ...metadata }
  const secret = Object.entries(members).filter(([name]) => name.startsWith('client_secret'))
  const method = members.token_endpoint_auth_method
  return {
    ...usedMetadata(metadata),
    ...Object.fromEntries(secret),
    ...(withSecret.has(String(method)) && { token_endpoint_auth_method: method }),
  }
}
