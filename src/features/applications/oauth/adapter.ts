import type { Adapter, AdapterFactory, AdapterPayload } from 'oidc-provider'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { Provider } from 'oidc-provider/lib/provider.js'
import { z } from 'zod'
import { hashToken } from '../../../engine/auth/viewers.ts'
import type { Client, TransactionalClient } from '../../../engine/data/client.ts'
import { Refusal } from '../../../engine/errors.ts'
import { daysFromNow, issueTokenOfLocked } from '../../accounts/access-tokens.ts'
import { lockAccount } from '../../base/lock-account.ts'
import { isScope } from '../../base/scopes.ts'
import {
  authorizationDays,
  beginAuthorization,
  findAuthorization,
  tokensOfAuthorization,
  useAuthorization,
} from '../authorizations.ts'
import { clientIdOf, findClient, grantsOf, hostOf, isRefused, storeClient } from '../clients.ts'
import { Records, requireBasis } from './records.ts'
import type { Resources } from './resources.ts'
import { consentIn } from './resources.ts'
import { webClient } from './web-client.ts'

/** What adapters depend on. */
type StoreOptions = {
  readonly database: TransactionalClient
  readonly resources: Resources
  /** Whether owners get e-mails. */
  readonly sendsMail: boolean
  /** Is called with the id of each account that lost a token. */
  readonly forget: (userId: string) => void
}

/** A time as the protocol has it, in seconds (RFC 7519, section 2). */
const epochSeconds = (time: Date): number => Math.floor(time.getTime() / 1_000)

/** The rest of an adapter whose records are only found by their ids, and never used up. What belongs to a grant is deleted with it. */
const simpleStore = {
  findByUid: async () => undefined,
  findByUserCode: async () => undefined,
  consume: async () => undefined,
  revokeByGrantId: async () => undefined,
}

/** Access tokens are rows of the table that both APIs read. */
const accessTokens = ({ database, resources, forget }: StoreOptions): Adapter => ({
  ...simpleStore,

  async upsert(
    token: string,
    { accountId: userId = '', clientId, grantId = '', scope = '', aud = '', exp = 0 }: AdapterPayload,
  ): Promise<void> {
    const audience = resources.audienceOf(String(aud)) ?? null
    const scopes = scope.split(' ').filter(isScope)
    const issue = async (transaction: Client) => {
      const allowed = await lockAccount(transaction, userId)
      await requireBasis(transaction)
      const expiresAt = new Date(exp * 1_000)
      // The pages of this server get no refresh tokens.
      const isLast = clientId === webClient.id
      const application = await useAuthorization(
        transaction,
        grantId,
        isLast ? expiresAt : daysFromNow(authorizationDays),
      )
      if (!application) throw new errors.InvalidGrant('the authorization has ended')
      const { id: applicationId, name } = application
      await transaction.$executeRaw`
        delete from access_tokens where id in (
          select id from access_tokens where grant_id = ${grantId}::uuid order by id desc offset ${tokensOfAuthorization - 1}::int)`
      const request = { token, userId, name, scopes, expiresAt, applicationId, grantId, audience }
      await issueTokenOfLocked(transaction, request, allowed)
    }
    try {
      await database.$transaction(issue)
    } catch (cause) {
      if (cause instanceof Refusal) throw new errors.InvalidGrant({ detail: cause.message, cause })
      throw cause
    }
  },

  async find(jti: string): Promise<AdapterPayload | undefined> {
    const where = { hash: hashToken(jti), expiresAt: { gt: new Date() }, grantId: { not: null } }
    const found = await database.accessToken.findFirst({ where, include: { application: true } })
    if (!found?.application || !found.expiresAt || !found.grantId) return undefined
    const { userId: accountId, grantId, scopes, audience, createdAt, expiresAt, application } = found
    const aud = audience ? resources.urlOf(audience) : undefined
    const times = { iat: epochSeconds(createdAt), exp: epochSeconds(expiresAt) }
    const clientId = clientIdOf(application)
    return { jti, kind: 'AccessToken', accountId, clientId, grantId, scope: scopes.join(' '), aud, ...times }
  },

  async destroy(token: string): Promise<void> {
    const [ended] = await database.$queryRaw<{ user_id: string }[]>`
      delete from access_tokens where hash = ${hashToken(token)} returning user_id`
    if (ended) forget(ended.user_id)
  },
})

const resourcesSchema = z.record(z.string(), z.string()).default({})

/** The scopes of a grant: the same for all resources. */
const scopesOf = (resources: unknown) =>
  [...new Set(Object.values(resourcesSchema.parse(resources)).flatMap((list) => list.split(' ')))].filter(Boolean)

/** A grant of the authorization server is an authorization of an application, which people see. */
const authorizations = ({ database, resources: known, sendsMail, forget }: StoreOptions): Adapter => ({
  ...simpleStore,

  async upsert(
    id: string,
    { accountId: userId = '', clientId = '', resources, exp = 0 }: AdapterPayload,
  ): Promise<void> {
    const [scopes, expiresAt] = [scopesOf(resources), new Date(exp * 1_000)]
    const { oidc } = Provider.ctx ?? {}
    // Where nobody was asked, the application has all that already.
    const isAsked = oidc !== undefined && consentIn(oidc) !== undefined
    // Its consent stores any other.
    if (clientId === webClient.id) await storeClient(database, { ...oidc?.client?.metadata(), client_id: clientId })
    await beginAuthorization(database, { id, userId, clientId, scopes, expiresAt }, sendsMail && isAsked, requireBasis)
  },

  async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await findAuthorization(database, id)
    if (!found) return undefined
    const { userId: accountId, application, scopes, createdAt, expiresAt } = found
    const resources = known.withScopes(scopes)
    const clientId = clientIdOf(application)
    return {
      jti: id,
      kind: 'Grant',
      accountId,
      clientId,
      resources,
      iat: epochSeconds(createdAt),
      exp: epochSeconds(expiresAt),
    }
  },

  async destroy(id: string): Promise<void> {
    const [ended] = await database.$queryRaw<{ user_id: string }[]>`
      delete from oauth_grants where id = ${id}::uuid returning user_id`
    if (ended) forget(ended.user_id)
  },
})

/** After how many seconds a client that registered itself is forgotten unless somebody allows it. */
const unusedClient = 86_400

/** How many clients that nobody has allowed yet are stored. */
const mostRegistered = 10_000

/** The routes that look at the metadata of a client as it is now. All others take it as it was when somebody allowed it. */
const newest: ReadonlySet<string | undefined> = new Set(['authorization', 'device_authorization', undefined])

/** The clients: applications with redirect URIs, and clients that have registered themselves and wait to be allowed. */
const clients = (database: Client, registered: Records): Adapter => ({
  ...simpleStore,

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    // Beyond that, the oldest are forgotten.
    await database.$executeRaw`
      delete from oauth_records where hash in (
        select hash from oauth_records where kind = 'Client' order by expires_at desc, hash offset
          ${mostRegistered - 1}::int for update skip locked)`
    await registered.upsert(id, payload, unusedClient)
  },

  /** The metadata of a client. Undefined for the URL of a document that has to be fetched. */
  async find(id: string): Promise<AdapterPayload | undefined> {
    const route = Provider.ctx?.oidc.route
    // Pages between two requests of an application look at its name only. One that is refused can still revoke its tokens.
    if (route !== undefined && route !== 'revocation' && (await isRefused(database, id)))
      throw new errors.InvalidClient('this server refuses the application')
    if (hostOf(id) !== undefined && newest.has(route)) return undefined
    const application = await findClient(database, id)
    if (!application) return hostOf(id) === undefined ? registered.find(id) : undefined
    const grants = grantsOf(application)
    const { name, website } = application
    return grants && { client_id: id, client_name: name, ...grants, ...(website && { client_uri: website }) }
  },

  destroy: async () => undefined,
})

/** Makes what stores each kind of record of the authorization server. */
export function adapterOf(options: StoreOptions): AdapterFactory {
  return (kind) => {
    if (kind === 'Grant') return authorizations(options)
    if (kind === 'AccessToken') return accessTokens(options)
    const records = new Records(kind, options.database)
    return kind === 'Client' ? clients(options.database, records) : records
  }
}
