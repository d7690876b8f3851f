import type { Database } from '../../../src/engine/data/database.ts'
import { type Relation, relations } from '../../../src/features/base/relations.ts'

type RelationRow = { readonly id: string; readonly from: string; readonly to: string }

/** The relations of a kind that have not ended. */
function relationRows(prisma: Database['write']['prisma'], relation: Relation): Promise<RelationRow[]> {
  const { table, actorColumn, objectColumn } = relation
  const isOn = relation.canExpire ? 'coalesce(until > now(), true)' : 'true'
  return prisma.$queryRawUnsafe(
    `select id, ${actorColumn} as "from", ${objectColumn} as "to" from ${table} where ${isOn}`,
  )
}

/** All rows that can be found by other ways than relations. */
export async function loadRows({ write: { prisma } }: Database) {
  return {
    users: await prisma.user.findMany(),
    publications: await prisma.livePublication.findMany(),
    members: await prisma.publication.findMany(),
    applications: await prisma.application.findMany(),
    tokens: await prisma.accessToken.findMany(),
    authorizations: await prisma.oauthGrant.findMany(),
    relations: new Map(
      await Promise.all(relations.map(async (relation) => [relation, await relationRows(prisma, relation)] as const)),
    ),
    requests: await prisma.followRequest.findMany(),
    privateAccounts: await prisma.privateAccount.findMany(),
    factors: await prisma.secondFactor.findMany({ include: { recoveryCodes: true, passkeys: true } }),
    reports: await prisma.report.findMany(),
    appeals: await prisma.appeal.findMany(),
    invitations: await prisma.invitation.findMany(),
    pendingAccounts: await prisma.pendingAccount.findMany(),
    acts: await prisma.moderationAct.findMany(),
    badges: await prisma.userBadge.findMany({ include: { badge: true } }),
    mentions: await prisma.mention.findMany({ orderBy: { rangeStart: 'asc' } }),
    hashtags: await prisma.hashtag.findMany(),
    uses: await prisma.hashtagUse.findMany({ orderBy: { rangeStart: 'asc' } }),
    events: await prisma.notification.findMany({ orderBy: { id: 'desc' } }),
    markers: await prisma.notificationMarker.findMany(),
    addressees: await prisma.addressee.findMany(),
    blockedPairs: await prisma.blockedPair.findMany(),
  }
}

/** The rows that the reference resolvers filter themselves. */
export type Rows = Awaited<ReturnType<typeof loadRows>>
