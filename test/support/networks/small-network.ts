import { hashToken } from '../../../src/engine/auth/viewers.ts'
import type { Database } from '../../../src/engine/data/database.ts'
import { newId } from '../../../src/engine/data/ids.ts'
import { hashOfRecoveryCode } from '../../../src/features/accounts/second-factor/recovery-codes.ts'
import { hashtagIn } from '../../../src/features/base/entities.ts'
import { relations } from '../../../src/features/base/relations.ts'
import { setSuspended } from '../../../src/features/moderation/suspensions.ts'
import { authenticators } from '../app.ts'
import { indexTexts } from '../database/index-texts.ts'
import { appSecret } from '../graphql/second-factor.ts'
import { hashOf } from '../passwords.ts'

/** The password of Ada. */
export const adaPassword = 'Numbers & weaving'
const adaHash = await hashOf(adaPassword)

/** The tokens of links that Ada has got by e-mail. */
export const adaLinks = { verify: `rookery_${'V'.repeat(43)}`, reset: `rookery_${'R'.repeat(43)}` }

const id = (ending: string) => `019ab2c4-0000-7000-8000-${ending.padStart(12, '0')}`

/** The ids of a small network in which every value is known. The last id of each kind sorts last. */
export const ids = {
  ada: id('a1'),
  bob: id('b1'),
  cyd: id('c1'),
  dan: id('d1'),
  eve: id('e1'),
  /** Who waits for approval. */
  fay: id('f1'),
  loom: id('10'),
  early: id('20'),
  founder: id('21'),
  adaPost: id('31'),
  bobPost: id('32'),
  adaReply: id('33'),
  bobReply: id('34'),
  bobNested: id('35'),
  adaGone: id('36'),
  adaOrphan: id('37'),
  /** A token and an authorization of Ada, which nothing uses. */
  adaToken: id('81'),
  adaGrant: id('82'),
  /** An invitation of Ada. */
  invitation: id('83'),
  /** A report of `bobPost` by Cyd. */
  report: id('61'),
  /** An appeal of Cyd. */
  appeal: id('62'),
  /**
   * Notice keys of Ada: Bob and Cyd, whom she mutes, follow her, and Bob likes her post. They are of now, because old ones are not
   * shown.
   */
  followed: newId(),
  followedByCyd: newId(),
  liked: newId(),
  /** An id that does not exist. */
  nothing: id('ff'),
} as const

/** A time this many seconds and some milliseconds after the epoch. */
const moment = (seconds: number) => new Date(seconds * 1000 + 999)

/**
 * The accounts of the network: Bob and then Cyd follow Ada. She follows Cyd, whom she mutes, as she did Bob, and blocks Dan. She and Eve
 * have asked to follow one another, while both were private.
 */
async function insertUsers({ write: { prisma } }: Database): Promise<void> {
  await prisma.user.createMany({
    data: [
      {
        id: ids.ada,
        username: 'Ada',
        displayName: 'Ada Lovelace',
        email: 'ada@example.org',
        emailVerified: true,
        passwordHash: adaHash,
        bio: 'Numbers & weaving.',
        followerCount: 2,
        followingCount: 1,
        joinedAt: moment(1767323045),
      },
      { id: ids.bob, username: 'bob', displayName: 'Bob', email: 'bob@example.org', followingCount: 1 },
      { id: ids.cyd, username: 'cyd', displayName: 'Cyd', email: 'cyd@example.org' },
      { id: ids.dan, username: 'dan', displayName: 'Dan', email: 'dan@example.org' },
      { id: ids.eve, username: 'eve', displayName: 'Eve', email: 'eve@example.org' },
      { id: ids.fay, username: 'fay', displayName: 'Fay', email: 'fay@example.org' },
    ].map((user) => ({ joinedAt: moment(1770091506), ...user })),
  })
  await prisma.pendingAccount.create({ data: { id: ids.fay, reason: 'To weave', since: moment(1770091506) } })
  await prisma.user.update({ where: { id: ids.cyd }, data: { followerCount: 1, followingCount: 1 } })
  await prisma.badge.createMany({
    data: [
      { id: ids.founder, name: 'Founder' },
      { id: ids.early, name: 'Early' },
    ],
  })
  await prisma.userBadge.createMany({
    data: [ids.founder, ids.early].map((badgeId) => ({ userId: ids.ada, badgeId })),
  })
  await prisma.follow.createMany({
    data: [
      { id: id('41'), followerId: ids.bob, followeeId: ids.ada },
      { id: id('42'), followerId: ids.cyd, followeeId: ids.ada },
      { id: id('43'), followerId: ids.ada, followeeId: ids.cyd },
    ],
  })
  await prisma.followRequest.createMany({
    data: [
      { id: id('44'), requesterId: ids.eve, requestedId: ids.ada },
      { id: id('45'), requesterId: ids.ada, requestedId: ids.eve },
    ],
  })
  await prisma.block.create({ data: { id: id('61'), blockerId: ids.ada, blockedId: ids.dan } })
  const blockedPairs = [
    { viewerId: ids.ada, hiddenId: ids.dan },
    { viewerId: ids.dan, hiddenId: ids.ada },
  ]
  await prisma.blockedPair.createMany({ data: blockedPairs })
  await prisma.mute.createMany({
    data: [
      { id: id('71'), muterId: ids.ada, mutedId: ids.cyd },
      { id: id('72'), muterId: ids.ada, mutedId: ids.bob, until: moment(1772600767) },
    ],
  })
  await prisma.application.create({
    data: {
      id: ids.loom,
      ownerId: ids.ada,
      name: 'Loom',
      website: 'https://loom.example/',
      createdAt: moment(1767323045),
    },
  })
}

/** Its publications: two posts, a reply to each, of which one also quotes it, a reply to a reply, and a reply to a deleted publication. */
async function insertPublications({ write: { prisma } }: Database): Promise<void> {
  const publications = [
    {
      id: ids.adaPost,
      authorId: ids.ada,
      applicationId: ids.loom,
      content: 'A post',
      replyCount: 1,
      likeCount: 1,
      quoteCount: 1,
    },
    { id: ids.bobPost, authorId: ids.bob, content: 'A locked post', locked: true, replyCount: 1, likeCount: 2 },
    {
      id: ids.adaReply,
      authorId: ids.ada,
      applicationId: ids.loom,
      parentId: ids.bobPost,
      content: 'A reply',
      locked: true,
      replyCount: 1,
    },
    { id: ids.bobReply, authorId: ids.bob, parentId: ids.adaPost, quotedId: ids.adaPost, content: 'Another reply' },
    { id: ids.bobNested, authorId: ids.bob, parentId: ids.adaReply, content: 'A reply to a reply' },
    { id: ids.adaGone, authorId: ids.ada, content: '', replyCount: 1, deletedAt: moment(1772700000) },
    { id: ids.adaOrphan, authorId: ids.ada, parentId: ids.adaGone, content: 'A reply to nothing' },
  ]
  const createdAt = (index: number) => moment(1772600767 + index)
  await prisma.publication.createMany({
    data: publications.map((it, index) => ({ createdAt: createdAt(index), ...it })),
  })
  await prisma.like.createMany({
    data: [
      { id: id('51'), publicationId: ids.adaPost, userId: ids.bob },
      { id: id('52'), publicationId: ids.bobPost, userId: ids.ada },
      { id: id('53'), publicationId: ids.bobPost, userId: ids.cyd },
    ],
  })
  await prisma.report.create({
    data: {
      ...{ id: ids.report, reporterId: ids.cyd, subjectId: ids.bobPost, userId: ids.bob },
      ...{ username: 'bob', displayName: 'Bob', content: 'A locked post', reason: 'SPAM' },
      createdAt: moment(1772800000),
    },
  })
  await prisma.appeal.create({
    data: { id: ids.appeal, userId: ids.cyd, text: 'It was not me', createdAt: moment(1772800000) },
  })
  const hashtag = { id: '', name: '', ...hashtagIn('weaving'), publicationCount: 2 }
  await prisma.hashtag.create({ data: hashtag })
  const use = { hashtagId: hashtag.id, rangeStart: 0, rangeEnd: 8, isListed: true }
  await prisma.hashtagUse.createMany({
    data: [ids.adaPost, ids.bobReply].map((publicationId) => ({ publicationId, ...use })),
  })
  await prisma.bookmark.createMany({
    data: [
      { id: id('61'), publicationId: ids.bobPost, userId: ids.ada },
      { id: id('62'), publicationId: ids.bobReply, userId: ids.ada },
      { id: id('63'), publicationId: ids.adaPost, userId: ids.bob },
    ],
  })
}

/** Notifications of Ada: of her followers, which she has read, and of the like of her post. */
async function insertNotifications({ write: { prisma } }: Database): Promise<void> {
  const to = { followeeId: ids.ada }
  await prisma.follow.updateMany({ where: { followerId: ids.bob, ...to }, data: { noticeKey: ids.followed } })
  await prisma.follow.updateMany({ where: { followerId: ids.cyd, ...to }, data: { noticeKey: ids.followedByCyd } })
  const like = { publicationId: ids.adaPost, userId: ids.bob }
  await prisma.like.updateMany({ where: like, data: { authorId: ids.ada, noticeKey: ids.liked } })
  await prisma.notificationMarker.create({ data: { userId: ids.ada, upTo: ids.followedByCyd } })
}

/** Ada has a token, an authorization and an invitation, which Cyd has used, and got two links. */
async function insertAccess({ write: { prisma } }: Database): Promise<void> {
  const [userId, email, expiresAt] = [ids.ada, 'ada@example.org', new Date('2999-12-31')]
  await prisma.accessToken.create({
    data: { id: ids.adaToken, userId, name: 'Script', hash: hashToken('script'), scopes: ['post.get'], expiresAt },
  })
  await prisma.oauthGrant.create({
    data: { id: ids.adaGrant, userId, applicationId: ids.loom, scopes: ['user.get'], expiresAt },
  })
  await prisma.invitation.create({
    data: {
      ...{ id: ids.invitation, creatorId: userId, hash: hashToken('invitation'), maxUses: 5, uses: 2, expiresAt },
      createdAt: moment(1772900000),
    },
  })
  await prisma.user.update({ where: { id: ids.cyd }, data: { invitedById: userId } })
  await prisma.emailToken.createMany({
    data: [
      { hash: hashToken(adaLinks.verify), kind: 'VERIFY', userId, email, expiresAt },
      { hash: hashToken(adaLinks.reset), kind: 'RESET', userId, email, expiresAt },
    ],
  })
}

const relationTables = relations.map(({ table }) => table)

/** The tables of a network in the order of filling; emptying uses the reverse order. */
const tables = [
  ...[
    'users',
    'applications',
    'oauth_grants',
    'access_tokens',
    'email_tokens',
    'second_factors',
    'recovery_codes',
    'passkeys',
    'sign_in_challenges',
    'invitations',
    'publications',
    'badges',
    'user_badges',
    'reports',
    'appeals',
    'account_deletions',
    'pending_accounts',
    'jobs',
  ],
  ...relationTables,
  ...['blocked_pairs', 'mentions', 'hashtags', 'hashtag_uses', 'addressees', 'private_accounts', 'follow_requests'],
  'notification_markers',
]

/** What Ada signs in with once she has a second factor. */
export const adaFactor = { challenge: `rookery_${'C'.repeat(43)}`, recoveryCode: 'k7mq-x2wp-9hfd-r4ta' }

/** Gives Ada a second factor with one recovery code and a passkey, and a sign-in that waits for a code. */
export async function giveSecondFactor({ write: { prisma } }: Database): Promise<void> {
  const [userId, expiresAt] = [ids.ada, new Date('2999-12-31')]
  await prisma.secondFactor.create({ data: { userId, secret: authenticators.seal(userId, appSecret), lastStep: 0 } })
  await prisma.recoveryCode.create({
    data: { userId, hash: hashOfRecoveryCode(adaFactor.recoveryCode) ?? hashToken('') },
  })
  await prisma.passkey.create({
    data: { userId, id: Uint8Array.of(1), publicKey: Uint8Array.of(2), counter: 3, transports: ['usb'], name: 'Key' },
  })
  await prisma.signInChallenge.create({ data: { userId, hash: hashToken(adaFactor.challenge), expiresAt } })
}

/** The databases that contain a copy of the network's tables. */
const withCopies = new WeakSet<Database>()

/** Sends several statements at once, which is much faster. */
const together = (statements: readonly string[]) => `do $$ begin ${statements.join('; ')}; end $$`

/** Empties a database and fills it with the network. */
export async function settle(database: Database): Promise<void> {
  const { prisma } = database.write
  // TRUNCATE is slower for so few rows.
  const empty = tables.toReversed().map((table) => `delete from ${table}`)
  if (withCopies.has(database)) {
    const fill = tables.map((table) => `insert into ${table} select * from copies.${table}`)
    await prisma.$executeRawUnsafe(together([...empty, ...fill]))
    return
  }
  await prisma.$executeRawUnsafe(together(empty))
  await insertUsers(database)
  await insertPublications(database)
  await insertNotifications(database)
  await insertAccess(database)
  await indexTexts(database)
  const copy = tables.map((table) => `create table copies.${table} as table ${table}`)
  await prisma.$executeRawUnsafe(together(['create schema copies', ...copy]))
  withCopies.add(database)
}

/** What an operation needs of Ada. */
type Needs = { readonly isOfSuspended?: true; readonly hasSecondFactor?: true }

/** Fills a database as an operation needs it: with Ada suspended, or with a second factor. */
export async function settleFor(database: Database, { isOfSuspended, hasSecondFactor }: Needs): Promise<void> {
  await settle(database)
  if (hasSecondFactor) await giveSecondFactor(database)
  if (isOfSuspended) await setSuspended(database, 'operator', { uuid: ids.ada }, true)
}

const changed = [
  'invitations',
  'publications',
  'users',
  'reports',
  'appeals',
  'notification_markers',
  'follow_requests',
]

/** All rows of the network that an operation of the interface can change. */
export async function stateOf({ write: { prisma } }: Database): Promise<unknown> {
  const rowsOf = (table: string) => `(select json_agg(t order by t) from ${table} t) as ${table}`
  return prisma.$queryRawUnsafe(`select ${[...changed, ...relationTables].map(rowsOf).join(', ')}`)
}
