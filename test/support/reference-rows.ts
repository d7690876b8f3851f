import type { Database } from '../../src/data/database.ts'
import { type Edge, edges } from '../../src/domain/edges.ts'

type EdgeRow = { readonly id: string; readonly from: string; readonly to: string }

/** The edges of a kind that have not ended. */
function edgeRows(prisma: Database['write']['prisma'], edge: Edge): Promise<EdgeRow[]> {
  const { table, from, to } = edge
  const isOn = edge.mayEnd ? 'coalesce(until > now(), true)' : 'true'
  return prisma.$queryRawUnsafe(`select id, ${from}_id as "from", ${to}_id as "to" from ${table} where ${isOn}`)
}

/** All rows that can be found by other ways than relations. */
export async function loadRows({ write: { prisma } }: Database) {
  return {
    users: await prisma.user.findMany(),
    publications: await prisma.livePublication.findMany(),
    members: await prisma.publication.findMany(),
    applications: await prisma.application.findMany(),
    tokens: await prisma.accessToken.findMany(),
    edges: new Map(await Promise.all(edges.map(async (edge) => [edge, await edgeRows(prisma, edge)] as const))),
    reports: await prisma.report.findMany(),
    acts: await prisma.moderationAct.findMany(),
    badges: await prisma.userBadge.findMany({ include: { badge: true } }),
    mentions: await prisma.mention.findMany({ orderBy: { rangeStart: 'asc' } }),
    hashtags: await prisma.hashtag.findMany(),
    uses: await prisma.hashtagUse.findMany({ orderBy: { rangeStart: 'asc' } }),
    notifications: await prisma.notification.findMany({ where: { count: { gt: 0 } } }),
    events: await prisma.notificationEvent.findMany({ where: { undone: false }, orderBy: { id: 'desc' } }),
    hidings: await prisma.hiding.findMany(),
  }
}

/** The rows that the reference resolvers filter themselves. */
export type Rows = Awaited<ReturnType<typeof loadRows>>
