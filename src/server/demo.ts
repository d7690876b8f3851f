import type { Database } from '../data/database.ts'
import { issueToken } from '../domain/access-tokens.ts'
import { findAccount } from '../domain/accounts.ts'
import { isEmpty, seed } from '../domain/seed/seed.ts'
import { demoNetwork } from '../domain/seed/seed-options.ts'
import { scopes } from '../scopes.ts'
import type { DemoAccess } from './pages/demo-access.ts'
import type { SampleTargets } from './pages/samples.ts'

/** The account that the demo's token is for. */
const demoUser = 'ada'
const tokenName = 'Demo'

/** Fills an empty database with the demo network. */
export async function fillWithDemo(database: Database): Promise<void> {
  if (await isEmpty(database)) await seed(database, { ...demoNetwork, now: new Date() })
}

/** The newest post in a user's home timeline that they may reply to, the newest reply, and the most followed user whom they don't follow. */
async function targetsFor(userId: string, { read }: Database): Promise<SampleTargets> {
  const post = await read.publication.findFirst({
    where: {
      parentId: null,
      deletedAt: null,
      locked: false,
      author: { followers: { some: { followerId: userId } } },
    },
    orderBy: { id: 'desc' },
  })
  const reply = await read.publication.findFirst({
    where: { parentId: { not: null }, deletedAt: null },
    orderBy: { id: 'desc' },
  })
  const user = await read.user.findFirst({
    where: { id: { not: userId }, followers: { none: { followerId: userId } } },
    orderBy: [{ followerCount: 'desc' }, { id: 'asc' }],
  })
  return { post: post?.id, reply: reply?.id, user: user?.id }
}

/** A token of the demo, valid until it is revoked; tokens that a killed process left behind go. Undefined without the demo's account. */
export async function issueDemoToken(
  database: Database,
): Promise<(DemoAccess & { revoke(): Promise<void> }) | undefined> {
  const { write } = database
  const userId = await findAccount(write, demoUser)
  // Somebody who signed up under that name has a password, and is nobody's demo.
  const isDemo = userId && (await write.user.findFirst({ where: { id: userId, passwordHash: null } }))
  if (!isDemo) return undefined
  const { token } = await write.$transaction(async (transaction) => {
    await transaction.accessToken.deleteMany({ where: { userId, name: tokenName } })
    return issueToken(transaction, { userId, name: tokenName, scopes, expiresAt: null })
  })
  return {
    token,
    targets: await targetsFor(userId, database),
    revoke: async () => {
      await write.accessToken.deleteMany({ where: { userId, name: tokenName } })
    },
  }
}
