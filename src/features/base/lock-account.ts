import type { Client } from '../../engine/data/client.ts'
import type { Scope } from '../../engine/scopes.ts'
import { scopesOfAccount } from './scopes.ts'

/**
 * Locks the row of an account until the transaction ends, so that what is counted or compared meanwhile does not change. Returns
 * the scopes that its tokens may have.
 */
export async function lockAccount(transaction: Client, userId: string): Promise<readonly Scope[]> {
  const [row] = await transaction.$queryRaw<{ moderates: boolean }[]>`
    select moderator_since is not null as moderates from users where id = ${userId}::uuid for no key update`
  return scopesOfAccount(row?.moderates ?? false)
}
