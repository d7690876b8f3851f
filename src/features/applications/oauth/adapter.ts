import type { AdapterFactory } from 'oidc-provider'
import { accessTokens } from './access-tokens.ts'
import { authorizations } from './authorizations.ts'
import { clients } from './clients.ts'
import { Records } from './records.ts'
import type { StoreOptions } from './store.ts'

/** Makes what stores each kind of record of the authorization server. */
export function adapterOf(options: StoreOptions): AdapterFactory {
  return (kind) => {
    if (kind === 'Grant') return authorizations(options)
    if (kind === 'AccessToken') return accessTokens(options)
    const records = new Records(kind, options.database)
    return kind === 'Client' ? clients(options.database, records) : records
  }
}
