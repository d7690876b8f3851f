import type { AdapterFactory } from 'oidc-provider'
import { accessTokens } from './access-tokens.ts'
import { authorizations } from './authorizations.ts'
import { clients } from './clients.ts'
import { Records } from './records.ts'
import type { Stored } from './stored.ts'

/** Makes what stores each kind of record of the authorization server. */
export function adapterOf(stored: Stored): AdapterFactory {
  return (kind) => {
    if (kind === 'Grant') return authorizations(stored)
    if (kind === 'AccessToken') return accessTokens(stored)
    const records = new Records(kind, stored.database)
    return kind === 'Client' ? clients(stored.database, records) : records
  }
}
