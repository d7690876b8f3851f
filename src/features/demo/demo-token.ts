import type { Database } from '../../engine/data/database.ts'
import { issueToken } from '../accounts/access-tokens.ts'
import { findAccount } from '../accounts/accounts.ts'
import { everyScope } from '../base/scopes.ts'

/** The account that the demo token is for. */
export const demoUser = 'ada'
const tokenName = 'Demo'

/** What sample operations refer to, by uuid: a post to like and to reply to, a reply, and a user to follow. */
export type DemoTargets = {
  readonly post?: string | undefined
  readonly reply?: string | undefined
  readonly user?: string | undefined
}

/** A token of the demo account, valid until it is revoked, and what it can be tried on. */
type DemoToken = { readonly token: string; readonly targets: DemoTargets; revoke(): Promise<void> }

/**
 * Issues the demo token, in place of those that a killed process left behind. Undefined where there is no demo account: one with a
 * password belongs to somebody who signed up under that name.
 */
export async function issueDemoToken(database: Database): Promise<DemoToken | undefined> {
  const { prisma } = database.write
  const userId = await findAccount(prisma, demoUser)
  const isDemo = userId && (await prisma.user.findFirst({ where: { id: userId, passwordHash: null } }))
  if (!isDemo) return undefined
  const { token } = await prisma.$transaction(async (transaction) => {
    await transaction.accessToken.deleteMany({ where: { userId, name: tokenName } })
    return issueToken(transaction, { userId, name: tokenName, scopes: everyScope, expiresAt: null })
  })
  return {
    token,
    targets: await targetsFor(userId, database),
    revoke: async () => {
      await prisma.accessToken.deleteMany({ where: { userId, name: tokenName } })
    },
  }
}

/**
 * The newest post in the user's home timeline that they may reply to, the newest reply, and the most followed user whom they do not
 * follow.
 */
async function targetsFor(userId: string, { write: { prisma } }: Database): Promise<DemoTargets> {
  const post = await prisma.publication.findFirst({
    where: {
      parentId: null,
      deletedAt: null,
      locked: false,
      author: { followers: { some: { followerId: userId } } },
    },
    orderBy: { id: 'desc' },
  })
  const reply = await prisma.publication.findFirst({
    where: { parentId: { not: null }, deletedAt: null },
    orderBy: { id: 'desc' },
  })
  const user = await prisma.user.findFirst({
    where: { id: { not: userId }, followers: { none: { followerId: userId } } },
    orderBy: [{ followerCount: 'desc' }, { id: 'asc' }],
  })
  return { post: post?.id, reply: reply?.id, user: user?.id }
}
