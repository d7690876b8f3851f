import { createHash } from 'node:crypto'
import type { Database } from '../../../src/engine/data/database.ts'
import { hashtagIn } from '../../../src/features/base/entities.ts'
import { blocks, relations } from '../../../src/features/base/relations.ts'
import { setCounters } from '../../../src/features/demo/seed.ts'
import { indexTexts } from '../database/index-texts.ts'

/** The fixed ids of a network, in ascending order. */
export const idAt = (number: number) => `01900000-0000-7000-8000-${number.toString(16).padStart(12, '0')}`

const range = (count: number) => Array.from({ length: count }, (_, index) => index)
const at = (number: number) => new Date(Date.UTC(2026, 0, 1) + number * 61_003)

const usernames = ['ada', 'Bob', 'cleo', 'dan', 'eve', 'Fay', 'quiet'] as const
const firstApplication = 100
const firstBadge = 200
const firstToken = 300
const firstPublication = 1_000
const firstRelation = 5_000
const firstReport = 3_000
const firstAct = 4_000
const mostRelations = 1_000

const relationIdAt = (place: number, index: number) => idAt(firstRelation + place * mostRelations + index)

/** The named rows of the network. */
export const network = {
  viewer: { id: idAt(1), username: usernames[0] },
  users: usernames.map((username, index) => ({ id: idAt(index + 1), username })),
  applications: range(4).map((index) => idAt(firstApplication + index)),
  tokens: range(4).map((index) => idAt(firstToken + index)),
  publications: range(60).map((index) => idAt(firstPublication + index)),
  relations: relations.flatMap((_relation, place) => range(40).map((index) => relationIdAt(place, index))),
  reports: range(8).map((index) => idAt(firstReport + index)),
  acts: range(5).map((index) => idAt(firstAct + index)),
} as const

const userAt = (index: number) => idAt(1 + (index % usernames.length))
const isPost = (index: number) => index % 3 === 0
const isDeleted = (index: number) => index % 4 === 1

/**
 * Fills an empty database with a small network that has something of everything: threads of several levels, deleted posts and
 * replies with living replies, locked and edited ones, applications with and without a website, follows in another order than users.
 */
export async function createNetwork(database: Database): Promise<void> {
  const { prisma } = database.write
  await prisma.user.createMany({
    data: network.users.map(({ id, username }, index) => ({
      id,
      username,
      displayName: `${username} “${index}”`,
      email: `${username}@example.org`.toLowerCase(),
      emailVerified: index % 2 === 0,
      bio: index % 3 === 0 ? '' : `Line one\nof ${username} \\ 😀`,
      joinedAt: at(index),
    })),
  })
  const names = ['Founder', 'Moderator', 'Supporter']
  await prisma.badge.createMany({ data: names.map((name, index) => ({ id: idAt(firstBadge + 2 - index), name })) })
  const worn = range(9).filter((index) => index % 4 !== 3)
  await prisma.userBadge.createMany({
    data: worn.map((index) => ({ userId: userAt(Math.floor(index / 3)), badgeId: idAt(firstBadge + (index % 3)) })),
  })
  const hashes = range(3).map((index) => Uint8Array.from(createHash('sha256').update(`code ${index}`).digest()))
  const { id: userId } = network.viewer
  await prisma.secondFactor.create({ data: { userId, secret: new Uint8Array(), lastStep: 0, createdAt: at(2) } })
  await prisma.recoveryCode.createMany({ data: hashes.map((hash) => ({ userId, hash })) })
  const passkey = { userId, publicKey: new Uint8Array(), counter: 0, transports: ['usb'], name: 'Key' }
  await prisma.passkey.createMany({ data: hashes.slice(1).map((id) => ({ ...passkey, id })) })
  await prisma.application.createMany({
    data: network.applications.map((id, index) => ({
      id,
      ownerId: userAt(index === 3 ? 1 : 0),
      name: `Client ${index}`,
      website: index % 2 === 0 ? `https://client${index}.example.org/about` : null,
      createdAt: at(index),
    })),
  })
  await prisma.accessToken.createMany({
    data: network.tokens.map((id, index) => ({
      id,
      hash: createHash('sha256').update(id).digest(),
      name: `Token ${index}`,
      scopes: index % 2 === 0 ? ['post.get', 'account.manage'] : ['reply.like'],
      userId: userAt(index === 3 ? 1 : 0),
      createdAt: at(index),
      expiresAt: index === 1 ? at(10_000_000) : null,
    })),
  })
  await prisma.oauthGrant.createMany({
    data: network.applications.map((applicationId, index) => ({
      id: idAt(firstApplication + 50 + index),
      userId: userAt(index === 3 ? 1 : 0),
      applicationId,
      scopes: index % 2 === 0 ? ['post.get', 'account.manage'] : ['reply.like'],
      createdAt: at(index),
      lastUsedAt: index === 1 ? null : at(index + 1),
      expiresAt: at(10_000_000),
    })),
  })
  await createPublications(prisma)
  await createRelations(prisma)
  await createEntities(prisma)
  await indexTexts(database)
  await setCounters(prisma)
  await createModeration(prisma)
}

async function createModeration(prisma: Database['write']['prisma']): Promise<void> {
  await prisma.report.createMany({
    data: network.reports.map((id, index) => ({
      id,
      reporterId: index === 2 ? null : userAt(index + 1),
      subjectId: index % 2 === 0 ? userAt(index) : idAt(firstPublication + index * 3),
      userId: index === 6 ? idAt(9_999) : userAt(index),
      username: 'then',
      displayName: 'Then',
      content: `Evidence ${index}`,
      reason: index % 3 === 0 ? 'SPAM' : 'OTHER',
      comment: index % 3 === 0 ? null : `Comment ${index}`,
      createdAt: at(400 + index),
      ...(index === 5 && { state: 'CLOSED', closedAt: at(500), closedBy: userAt(3), note: 'Done' }),
    })),
  })
  await prisma.moderationAct.createMany({
    data: network.acts.map((id, index) => ({
      id,
      at: at(600 + index),
      actorId: index === 0 ? null : userAt(index),
      action: index % 2 === 0 ? 'USER_SUSPENDED' : 'PUBLICATION_REMOVED',
      subjectId: userAt(index + 1),
      userId: index === 3 ? idAt(9_999) : userAt(index + 1),
      username: 'then',
      reason: index === 2 ? null : 'Spam',
    })),
  })
}

/** Publications with one of two hashtags twice, with both, or with neither, and with mentions of two accounts or of none. */
async function createEntities(prisma: Database['write']['prisma']): Promise<void> {
  const live = network.publications.filter((_id, index) => !isDeleted(index))
  const hashtags = ['weaving', 'looms'].flatMap((name) => hashtagIn(name) ?? [])
  const uses = live.flatMap((publicationId, index) =>
    [0, 1, 0].flatMap((which, place) => {
      const { id: hashtagId = '' } = hashtags[which] ?? {}
      const range = { rangeStart: 10 * place, rangeEnd: 10 * place + 6 }
      return (index + which) % 3 === 0 ? [{ publicationId, hashtagId, ...range, isListed: place < 2 }] : []
    }),
  )
  const publicationCount = (id: string) => uses.filter(({ hashtagId, isListed }) => hashtagId === id && isListed).length
  await prisma.hashtag.createMany({
    data: hashtags.map((it) => ({ ...it, publicationCount: publicationCount(it.id) })),
  })
  await prisma.hashtagUse.createMany({ data: uses })
  await prisma.mention.createMany({
    data: live.flatMap((publicationId, index) =>
      range(index % 3).map((place) => ({
        publicationId,
        userId: userAt(index + place * 2),
        rangeStart: 40 - 10 * place,
        rangeEnd: 45 - 10 * place,
      })),
    ),
  })
}

/** The pairs of which one blocks the other: the first two users block, and the first is blocked as well. */
const blockedPairs = [1, 13, 16]

/** Relations of each kind between other ends, in another order than what they lead to. */
async function createRelations(prisma: Database['write']['prisma']): Promise<void> {
  const toUsers = range(17).map((index) => {
    const from = index < 5 ? 0 : index % 6
    return [from, from + (index < 5 ? ((index * 2) % 5) + 1 : index < 11 ? 2 : 3)] as const
  })
  const toPublications = network.publications.flatMap((_id, index) => range(7).map((user) => [user, index] as const))
  for (const [place, relation] of relations.entries()) {
    const { table, actorColumn, objectColumn, objectType } = relation
    const pairs =
      objectType === 'user'
        ? toUsers
            .filter((_pair, index) => relation !== blocks || blockedPairs.includes(index))
            .map(([user, other]) => [userAt(user), userAt(other)])
        : toPublications
            .filter(([user, index]) => !isDeleted(index) && (index + user * user + place) % 4 === 1)
            .map(([user, index]) => [userAt(user), idAt(firstPublication + index)])
    const rows = pairs.map((ends, index) => [relationIdAt(place, (index * 7) % pairs.length), ...ends])
    const values = rows.map((row) => `('${row.join("', '")}')`)
    await prisma.$executeRawUnsafe(
      `insert into ${table} (id, ${actorColumn}, ${objectColumn}) values ${values.join(', ')} on conflict do nothing`,
    )
  }
  await prisma.$executeRaw`
    insert into blocked_pairs select blocker_id, blocked_id from blocks union select blocked_id, blocker_id from blocks`
  // Some have ended, some will end, and some will not.
  await prisma.$executeRaw`
    update mutes set until = case place % 3 when 0 then now() - interval '1 hour' when 1 then now() + interval '1 day' end
    from (select id, row_number() over (order by id) as place from mutes) places where places.id = mutes.id`
}

async function createPublications(prisma: Database['write']['prisma']): Promise<void> {
  await prisma.publication.createMany({
    data: network.publications.map((id, index) => ({
      id,
      parentId: isPost(index) ? null : idAt(firstPublication + Math.floor(index / 3)),
      quotedId: index % 5 === 2 ? idAt(firstPublication + ((index * 7) % index)) : null,
      authorId: userAt((index * 5) % 6),
      applicationId: index % 4 === 0 ? idAt(firstApplication + (index % 3)) : null,
      content: isDeleted(index) ? '' : `Publication ${index}: "quoted", \\back\\ and 😀`,
      locked: index % 5 === 0,
      createdAt: at(100 + index),
      editedAt: index % 6 === 0 ? at(200 + index) : null,
      deletedAt: isDeleted(index) ? at(300 + index) : null,
    })),
  })
}
