import { createHmac, generateKeyPairSync, randomBytes } from 'node:crypto'
import type { Configuration, KoaContextWithOIDC } from 'oidc-provider'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { base } from 'oidc-provider/lib/helpers/interaction_policy/index.js'
import { Provider } from 'oidc-provider/lib/provider.js'
import { z } from 'zod'
import { newToken } from '../../../engine/auth/viewers.ts'
import type { TransactionalClient } from '../../../engine/data/client.ts'
import { newId } from '../../../engine/data/ids.ts'
import { day } from '../../../engine/day.ts'
import { isScope, scopes, scopesOfAccount } from '../../base/scopes.ts'
import { authorizationDays, scopesAllowed } from '../authorizations.ts'
import { adapterOf } from './adapter.ts'
import { sessionCookie } from './browser.ts'
import type { DevicePages } from './device-pages.ts'
import { consentIn, Resources } from './resources.ts'
import { safeFetch } from './safe-fetch.ts'
import { rememberWhatIsStored } from './stored-models.ts'
import { webClient } from './web-client.ts'

const rotatedSchema = z.object({ jti: z.string(), seed: z.string() })

const newSeed = () => randomBytes(32).toString('base64url')

/**
 * Gives each refresh token exactly one successor, whoever asks for it and however often. It is computed from the token and a random
 * seed: the table has the seed but not the token, and the client has the token but not the seed. Seeds of used tokens are removed:
 * see `removeExpiredAuthorizations`.
 */
function fixSuccessors({ RefreshToken }: Provider): void {
  Object.defineProperty(RefreshToken, 'IN_PAYLOAD', { value: [...RefreshToken.IN_PAYLOAD, 'seed'] })
  Object.assign(RefreshToken.prototype, {
    generateTokenId(this: object): string {
      Object.assign(this, { seed: newSeed() })
      const rotated = Provider.ctx?.oidc.entities.RotatedRefreshToken
      if (!rotated) return newSeed()
      const { jti, seed } = rotatedSchema.parse(rotated)
      return createHmac('sha256', jti).update(seed).digest('base64url')
    },
  })
}

/** What an authorization server is made of. */
type ProviderOptions = {
  readonly issuer: string
  readonly database: TransactionalClient
  readonly sendsMail: boolean
  readonly forget: (userId: string) => void
  readonly registration: boolean
  readonly metadataLoopback: boolean
  /** Whether agents are served. */
  readonly mcp: boolean
  readonly pages: DevicePages
}

/** Lifetimes, in seconds. */
export const lifetimes = {
  AccessToken: 3_600,
  AuthorizationCode: 60,
  DeviceCode: 600,
  Interaction: 600,
  Session: 86_400,
  RefreshToken: (authorizationDays * day) / 1_000,
  // Until its first token: as long as a code lives at most.
  Grant: 600,
} as const

/** Where its endpoints are, below the issuer. */
const routes = {
  authorization: '/oauth/authorize',
  token: '/oauth/token',
  revocation: '/oauth/revoke',
  introspection: '/oauth/introspect',
  registration: '/oauth/register',
  device_authorization: '/oauth/device_authorization',
  code_verification: '/oauth/device',
  jwks: '/oauth/jwks',
  end_session: '/oauth/sign-out',
} as const

/** Whether the account of a request moderates. Before it is known, whether it might. */
const mayModerate = ({ oidc }: KoaContextWithOIDC) => oidc.account === undefined || oidc.account.moderates === true

/**
 * When somebody is asked. A native application could be any program that listens on the port, and a device be in other hands, so
 * they ask each time (RFC 8252, section 8.6; RFC 8628, section 5.4). Others ask for what they have not got yet, also if that was
 * refused before, and where the account cannot allow any of it.
 */
function policy() {
  const prompts = base()
  const session = prompts.get('login')?.checks.get('no_session')
  const checks = prompts.get('consent')?.checks
  checks?.remove('op_scopes_missing')
  const native = checks?.get('native_client_prompt')
  const missing = checks?.get('rs_scopes_missing')
  if (!session || !native || !missing) throw new TypeError('The library has other checks')
  // Also where the account of a session was suspended, or is being deleted.
  session.check = ({ oidc }) => oidc.account === undefined
  native.check = ({ oidc }) =>
    !consentIn(oidc) &&
    oidc.client?.clientId !== webClient.id &&
    (oidc.deviceCode !== undefined || !String(oidc.params?.redirect_uri).startsWith('https://'))
  missing.check = (ctx) => {
    const { oidc } = ctx
    if (consentIn(oidc)) return false
    const allowed: readonly string[] = scopesOfAccount(mayModerate(ctx))
    const granted = Object.keys(oidc.resourceServers ?? {}).map((url) => oidc.grant?.getResourceScope(url).split(' '))
    const lacks = (scope: string) => granted.some((list) => !list?.includes(scope))
    const possible = [...oidc.requestParamScopes].filter((scope) => allowed.includes(scope))
    return possible.length === 0 || possible.some(lacks)
  }
  missing.details = () => ({})
  return prompts
}

/** The client of the pages of this server itself, besides those that register or describe themselves. */
const ownClients = (issuer: string): Configuration['clients'] => [
  {
    client_id: webClient.id,
    client_name: webClient.name,
    // Its port is that of this server.
    application_type: 'web',
    redirect_uris: [issuer + webClient.callback],
    grant_types: ['authorization_code'],
  },
]

const clientDefaults: Configuration['clientDefaults'] = {
  application_type: 'native',
  grant_types: ['authorization_code', 'refresh_token'],
  response_types: ['code'],
  response_modes: ['query'],
  token_endpoint_auth_method: 'none',
  id_token_signed_response_alg: 'ES256',
  scope: scopes.join(' '),
}

const cookiesOf = (issuer: string): Configuration['cookies'] => ({
  names: {
    session: issuer.startsWith('https:') ? '__Host-rookery_session' : 'rookery_session',
    interaction: 'rookery_step',
    resume: 'rookery_resume',
  },
  long: sessionCookie(issuer),
  short: { httpOnly: true, sameSite: 'lax', signed: false },
})

/** The routes at which an application asks for scopes. */
const beginnings: ReadonlySet<string> = new Set(['authorization', 'device_authorization'])

/** Where tokens are accepted, and which scopes they can have there. */
const resourceIndicators = (
  issuer: string,
  resources: Resources,
): NonNullable<Configuration['features']>['resourceIndicators'] => ({
  enabled: true,
  defaultResource: (_ctx, _client, oneOf) => oneOf ?? issuer,
  useGrantedResource: () => true,
  getResourceServerInfo: (ctx, indicator, { clientId }) => {
    const audience = resources.audienceOf(indicator)
    if (audience === undefined) throw new errors.InvalidTarget()
    const scope = scopesOfAccount(mayModerate(ctx)).join(' ')
    const { route, requestParamScopes, params } = ctx.oidc
    if (beginnings.has(route) && ![...requestParamScopes].some(isScope))
      throw new errors.InvalidScope('no scope of this server was requested', String(params?.scope ?? ''))
    const accessTokenTTL = clientId === webClient.id ? lifetimes.Session : lifetimes.AccessToken
    return { scope, audience: resources.urlOf(audience), accessTokenFormat: 'opaque', accessTokenTTL }
  },
})

/** Lets each request fetch the document of its client once: of one that was refused, the library looks again to respond. */
function allowFirstFetch(): (ctx: KoaContextWithOIDC | undefined) => boolean {
  const fetching = new WeakSet<object>()
  return (ctx) => {
    if (!ctx) return true
    const isFirst = !fetching.has(ctx)
    fetching.add(ctx)
    return isFirst
  }
}

/** The account with this id; undefined where it is suspended or being deleted. */
export async function accountOf(database: TransactionalClient, id: string) {
  const where = { id, suspendedAt: null, deletion: null }
  const found = await database.user.findFirst({ where, select: { username: true, moderatorSince: true } })
  if (!found) return undefined
  const { username, moderatorSince } = found
  return { accountId: id, claims: () => ({ sub: id }), username, moderates: moderatorSince !== null }
}

const featuresOf = (
  { issuer, database, registration, pages }: ProviderOptions,
  resources: Resources,
): Configuration['features'] => ({
  devInteractions: { enabled: false },
  userinfo: { enabled: false },
  // On by default. A bound token would need a column, and each request a proof.
  dPoP: { enabled: false },
  pushedAuthorizationRequests: { enabled: false },
  rpInitiatedLogout: { enabled: false },
  revocation: { enabled: true, allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId },
  // Also inactive: tokens of an account that is suspended or being deleted.
  introspection: {
    enabled: true,
    allowedPolicy: async (_ctx, client, token) =>
      token.clientId === client.clientId &&
      'accountId' in token &&
      (await accountOf(database, String(token.accountId))) !== undefined,
  },
  registration: { enabled: registration, issueRegistrationAccessToken: false },
  clientIdMetadataDocument: {
    enabled: true,
    ack: 'draft-02',
    cacheDuration: { min: 60, max: 3_600 },
    allowFetch: allowFirstFetch(),
  },
  deviceFlow: {
    enabled: true,
    userCodeInputSource: pages.enterCode,
    userCodeConfirmSource: pages.confirmCode,
    successSource: pages.connected,
  },
  resourceIndicators: resourceIndicators(issuer, resources),
})

/**
 * Each request begins an authorization of its own, so that one can end without the others. It has what somebody has just allowed,
 * or of what is asked for that which the application has already. It is stored with the code: see `records.ts`.
 */
const grantLoader =
  (database: TransactionalClient, resources: Resources): Configuration['loadExistingGrant'] =>
  async ({ oidc }) => {
    const { account, client, provider, requestParamScopes } = oidc
    if (!account || !client) return undefined
    const { accountId } = account
    const { clientId } = client
    // The pages of this server may do what their account may.
    const isOwn = clientId === webClient.id
    const known = () =>
      isOwn ? scopesOfAccount(account.moderates === true) : scopesAllowed(database, accountId, clientId)
    const allowed = consentIn(oidc)?.scopes ?? (await known())
    const scopes = [...allowed].filter((scope) => requestParamScopes.has(scope))
    const grant = new provider.Grant({ accountId, clientId })
    return Object.assign(grant, { jti: newId(), resources: resources.withScopes(scopes) })
  }

function configurationOf(options: ProviderOptions): Configuration {
  const { issuer, database, metadataLoopback, pages, sendsMail, forget } = options
  const prefix = new URL(issuer).pathname.replace(/\/$/, '')
  const resources = new Resources(issuer, options)
  return {
    adapter: adapterOf({ database, resources, sendsMail, forget }),
    // Nothing is signed: tokens are opaque, and there are no id tokens. But the library requires a key.
    jwks: { keys: [generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })] },
    scopes: [...scopes],
    claims: {},
    responseTypes: ['code'],
    subjectTypes: ['public'],
    clientAuthMethods: ['none'],
    clients: ownClients(issuer),
    clientDefaults,
    cookies: cookiesOf(issuer),
    routes,
    features: featuresOf(options, resources),
    pkce: { required: () => true },
    issueRefreshToken: (_ctx, client) => client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // Otherwise tokens without the scope `offline_access` end with the cookie.
    expiresWithSession: () => false,
    revokeGrantPolicy: () => true,
    ttl: lifetimes,
    loadExistingGrant: grantLoader(database, resources),
    interactions: { policy: policy(), url: (_ctx, { uid }) => `${prefix}/oauth/step/${uid}` },
    findAccount: (_ctx, id) => accountOf(database, id),
    renderError: pages.failed,
    discovery: { service_documentation: `${issuer}/api/v1/docs` },
    clientBasedCORS: () => true,
    fetch: safeFetch({ loopback: metadataLoopback, requester: () => Provider.ctx?.ip }),
  }
}

/** The authorization server: the library `oidc-provider`, as this service needs it. */
export function createProvider(options: ProviderOptions) {
  const provider = new Provider(options.issuer, configurationOf(options))
  // URLs begin with the issuer, whatever the request says: see `provider-request.ts`.
  provider.proxy = true
  Object.assign(provider.AccessToken.prototype, {
    generateTokenId(this: object) {
      Object.assign(this, { format: 'opaque' })
      return newToken()
    },
  })
  rememberWhatIsStored(provider, lifetimes.Session)
  fixSuccessors(provider)
  return provider
}
