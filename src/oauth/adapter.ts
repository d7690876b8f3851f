import type { AdapterFactory } from 'oidc-provider'
import type { TransactionalClient } from '../data/client.ts'
import { AccessTokens } from './access-tokens.ts'
import { Authorizations } from './authorizations.ts'
import { Clients } from './clients.ts'
import { Records } from './records.ts'
import type { Resources } from './resources.ts'

/** Makes the store of each kind of record of the authorization server. Calls `forget` with the id of each account that lost a token. */
export function adapterOf(
  database: TransactionalClient,
  resources: Resources,
  forget: (userId: string) => void,
): AdapterFactory {
  return (kind) => {
    if (kind === 'Grant') return new Authorizations(database, resources, forget)
    if (kind === 'AccessToken') return new AccessTokens(database, resources, forget)
    const records = new Records(kind, database)
    return kind === 'Client' ? new Clients(database, records) : records
  }
}
