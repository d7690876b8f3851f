import type { Adapter, AdapterPayload } from 'oidc-provider'
import * as errors from 'oidc-provider/lib/helpers/errors.js'
import { Provider } from 'oidc-provider/lib/provider.js'
import type { Client as Database } from '../../../engine/data/client.ts'
import { findClient, grantsOf, hostOf, isRefused } from '../clients.ts'
import type { Records } from './records.ts'
import { simpleStore } from './store.ts'

/** After how many seconds a client that registered itself is forgotten unless somebody allows it. */
const unusedClient = 86_400

/** How many clients that nobody has allowed yet are stored. */
const mostRegistered = 10_000

/** The routes that look at the metadata of a client as it is now. All others take it as it was when somebody allowed it. */
const newest: ReadonlySet<string | undefined> = new Set(['authorization', 'device_authorization', undefined])

/** The clients: applications with redirect URIs, and clients that have registered themselves and wait to be allowed. */
export const clients = (database: Database, registered: Records): Adapter => ({
  ...simpleStore,

  async upsert(id: string, payload: AdapterPayload): Promise<void> {
    // Beyond that, the oldest are forgotten.
    await database.$executeRaw`
      delete from oauth_records where hash in (
        select hash from oauth_records where kind = 'Client' order by expires_at desc, hash offset ${mostRegistered - 1}::int for update skip locked)`
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
