import type { Database } from '../data/database.ts'
import { issueToken } from '../domain/access-tokens.ts'
import { findAccount } from '../domain/accounts.ts'
import { isEmpty, seed } from '../domain/seed/seed.ts'
import { demoNetwork } from '../domain/seed/seed-options.ts'
import { scopes } from '../scopes.ts'

/** The account that the demo's token is for. */
const demoUser = 'ada'
const tokenName = 'Demo'

/** Fills an empty database with the demo network. */
export async function fillWithDemo(database: Database): Promise<void> {
  if (await isEmpty(database)) await seed(database, { ...demoNetwork, now: new Date() })
}

/** A token of the demo, valid until it is revoked; tokens that a killed process left behind go. Undefined without the demo's account. */
export async function issueDemoToken({
  write,
}: Database): Promise<{ token: string; revoke: () => Promise<void> } | undefined> {
  const userId = await findAccount(write, demoUser)
  if (userId === undefined) return undefined
  const { token } = await write.$transaction(async (transaction) => {
    await transaction.accessToken.deleteMany({ where: { userId, name: tokenName } })
    return issueToken(transaction, { userId, name: tokenName, scopes, expiresAt: null })
  })
  return {
    token,
    revoke: async () => {
      await write.accessToken.deleteMany({ where: { userId, name: tokenName } })
    },
  }
}
