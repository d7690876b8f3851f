import type { Adapter, AdapterPayload } from 'oidc-provider'
import { Provider } from 'oidc-provider/lib/provider.js'
import { z } from 'zod'
import { beginAuthorization, findAuthorization } from '../authorizations.ts'
import { clientIdOf, storeClient } from '../clients.ts'
import { consentIn } from './consent.ts'
import { requireBasis } from './records.ts'
import { epochSeconds, type StoreOptions, simpleStore } from './store.ts'
import { webClient } from './web-client.ts'

const resourcesSchema = z.record(z.string(), z.string()).default({})

/** The scopes of a grant: the same for all resources. */
const scopesOf = (resources: unknown) =>
  [...new Set(Object.values(resourcesSchema.parse(resources)).flatMap((list) => list.split(' ')))].filter(Boolean)

/** A grant of the authorization server is an authorization of an application, which people see. */
export const authorizations = ({ database, resources: known, sendsMail, forget }: StoreOptions): Adapter => ({
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
