import type { Adapter, AdapterPayload } from 'oidc-provider'
import { z } from 'zod'
import { findAuthorization, maxAuthorizations } from '../domain/authorizations.ts'
import { clientIdOf, findClient } from '../domain/oauth-clients.ts'
import { Refusal } from '../errors.ts'
import { epochSeconds, type StoreOptions, simpleStore } from './store.ts'

const resourcesSchema = z.record(z.string(), z.string()).default({})

/** The scopes of a grant: the same for all resources. */
const scopesOf = (resources: unknown) =>
  [...new Set(Object.values(resourcesSchema.parse(resources)).flatMap((list) => list.split(' ')))].filter(Boolean)

/** A grant of the authorization server is an authorization of an application, which people see. */
export const authorizations = ({ database, resources: known, forget }: StoreOptions): Adapter => ({
  ...simpleStore,

  async upsert(id: string, { accountId, clientId = '', resources }: AdapterPayload, expiresIn = 0): Promise<void> {
    const application = await findClient(database, clientId)
    const scopes = scopesOf(resources)
    const written = await database.$executeRaw`
      insert into oauth_grants (id, user_id, application_id, scopes, expires_at)
      select ${id}::uuid, ${accountId}::uuid, ${application?.id}::uuid, ${scopes}::text[], now() + make_interval(secs => ${expiresIn}::float8)
      where (select count(*) from oauth_grants where user_id = ${accountId}::uuid and application_id <> ${application?.id}::uuid) < ${maxAuthorizations}::int
      on conflict (user_id, application_id) do update set scopes = excluded.scopes, expires_at = excluded.expires_at`
    if (written === 0)
      throw new Refusal(
        'CONFLICT',
        `An account can have at most ${maxAuthorizations} connected applications. Disconnect one at /oauth/connections, and try again.`,
      )
  },

  async find(id: string): Promise<AdapterPayload | undefined> {
    const found = await findAuthorization(database, { id })
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
