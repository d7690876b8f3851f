import { createHash } from 'node:crypto'
import type {
  AccessToken,
  Hashtag,
  LivePublication,
  ModerationAct,
  OauthGrant,
  Report,
  User,
} from '../../../src/engine/data/generated/prisma/client.ts'
import { pageSize } from '../../../src/engine/page-size.ts'
import { hashtagIn } from '../../../src/features/base/entities.ts'
import {
  blocks,
  bookmarks,
  follows,
  likes,
  mutes,
  type Relation,
  relationsTo,
} from '../../../src/features/base/relations.ts'
import {
  type Args,
  ancestorsOf,
  byId,
  type Context,
  findNode,
  findUser,
  keyed,
  type Resolvers,
  threadOf,
  typeOf,
} from './lookups.ts'
import { pageOfTold, type Told, toldBy } from './notifications.ts'
import { cursorOf, pageIn } from './pages.ts'
import type { Rows } from './rows.ts'
import { globalIdOf } from './schema.ts'

const posts = ({ publications }: Rows, isBy: (authorId: string) => boolean) =>
  keyed(publications.filter(({ parentId, authorId }) => parentId === null && isBy(authorId)))

const relationsOf = (relation: Relation, { relations }: Rows) => relations.get(relation) ?? []

/** Whether a relation leads from one account to an object. */
const isMade = (relation: Relation, maker: string, object: string, rows: Rows) =>
  relationsOf(relation, rows).some(({ from, to }) => from === maker && to === object)

/** The flags of the relations that lead to objects of this kind. */
const flagsOf = (noun: Relation['objectType']): Resolvers<{ id: string }> =>
  Object.fromEntries(
    relationsTo(noun).map((relation) => [
      relation.flag,
      ({ id }: { id: string }, _args: Args, { rows, viewer }: Context) => isMade(relation, viewer.id, id, rows),
    ]),
  )

/** A page of the accounts that a relation to this object comes from. */
function actorsOf(relation: Relation, object: string, { rows, hidden }: Context, args: Args, total?: number) {
  const made = relationsOf(relation, rows).filter(
    ({ from, to }) => to === object && !hidden.has(from) && !hidden.has(to),
  )
  const list = keyed(made, ({ from }) => byId(rows.users, from))
  return pageIn(list, 'desc', args, total)
}

/** A page of the objects that a relation from this account leads to. */
function madeBy(relation: Relation, maker: string, { rows, hidden }: Context, args: Args, total?: number) {
  const objects: readonly { id: string }[] = relation.objectType === 'user' ? rows.users : rows.publications
  const isShown = (id: string) => relation === blocks || relation === mutes || !hidden.has(id)
  const made = relationsOf(relation, rows).filter(
    ({ from, to }) => from === maker && isShown(from) && isShown(to) && byId(objects, to),
  )
  return pageIn(
    keyed(made, ({ to }) => byId(objects, to)),
    'desc',
    args,
    total,
  )
}

/** Whether the viewer's timelines have what an account publishes. */
const isHeard = (author: string, { rows, viewer }: Context) =>
  viewer.isModerator || !isMade(mutes, viewer.id, author, rows)

/** A page of the posts of such authors, without those whom the viewer mutes. */
function timeline(context: Context, args: Args, isBy: (authorId: string, context: Context) => boolean) {
  const isShown = (author: string) => isBy(author, context) && isHeard(author, context)
  return pageIn(posts(context.rows, isShown), 'desc', args)
}

const wordsOf = (text: string): readonly string[] => text.toLowerCase().match(/[a-z0-9]+/g) ?? []
const hasWords = (content: string, sought: string) => wordsOf(sought).every((word) => wordsOf(content).includes(word))

/** The users that a text finds: whom the viewer follows, then by the beginning of the username. */
function userSearch({ text, first }: Args, { rows, viewer, hidden }: Context) {
  const rank = ({ id, username }: User) => {
    const name = username.toLowerCase()
    return [!isMade(follows, viewer.id, id, rows), !name.startsWith(text.toLowerCase()), name].join()
  }
  const found = rows.users.filter(
    ({ id, username, displayName }) =>
      !hidden.has(id) && (username.toLowerCase().startsWith(text.toLowerCase()) || hasWords(displayName, text)),
  )
  return found.toSorted((a, b) => (rank(a) < rank(b) ? -1 : 1)).slice(0, first ?? pageSize.default)
}

/** The fields that have a read: plugin-prisma has no resolvers for them. */
const query: Resolvers<unknown> = {
  viewer: (_root, _args, { rows, viewer }) => byId(rows.users, viewer.id),
  user: (_root, { by }, context) => findUser(by, context),
  users: (_root, { by }, context) => by.map((each) => findUser(each, context)),
  post: (_root, { uuid }, { rows }) => byId(rows.publications, uuid),
  publications: (_root, { uuids }, { rows }) => uuids.map((uuid) => byId(rows.publications, uuid)),
  reply: (_root, { uuid }, { rows }) =>
    byId(
      rows.publications.filter(({ parentId }) => parentId),
      uuid,
    ),
  hashtag: (_root, { name }, { rows }) => byId(rows.hashtags, hashtagIn(name)?.id),
  node: (_root, { id }, context) => findNode(id, context),
  nodes: (_root, { ids }, context) => ids.map((id) => findNode(id, context)),
  publicTimeline: (_root, args, context) => timeline(context, args, () => true),
  homeTimeline: (_root, args, context) =>
    timeline(
      context,
      args,
      (author, { rows, viewer }) => author === viewer.id || isMade(follows, viewer.id, author, rows),
    ),
  searchPublications: (_root, args, context) => {
    const author = args.author && { id: null, ...findUser(args.author, context) }
    const isFound = ({ authorId, content }: LivePublication) =>
      hasWords(content, args.text) && isHeard(authorId, context) && (!author || author.id === authorId)
    return pageIn(keyed(context.rows.publications.filter(isFound)), 'desc', args)
  },
  searchUsers: (_root, args, context) => userSearch(args, context),
  applications: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.applications.filter(({ ownerId }) => ownerId === viewer.id)), 'desc', args),
  reports: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.reports.filter(({ state, userId }) => state === 'OPEN' && userId !== viewer.id)), 'desc', args),
  moderationLog: (_root, args, { rows }) => pageIn(keyed(rows.acts), 'desc', args),
  authorizations: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.authorizations.filter(({ userId }) => userId === viewer.id)), 'desc', args),
  accessTokens: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.tokens.filter(({ userId }) => userId === viewer.id)), 'desc', args),
}

const anyNode: Resolvers<{ id: string; version: bigint }> = {
  id: (row) => globalIdOf(typeOf(row), row.id),
  version: ({ version }) => String(version),
}

const publication: Resolvers<LivePublication> = {
  ...flagsOf('publication'),
  parentUuid: ({ parentId }) => parentId,
  ancestors: (row, _args, context) => ancestorsOf(row, context),
  thread: (row, args, context) => threadOf(row, context, args),
  mentions: ({ id }, _args, { rows, hidden }) =>
    rows.mentions.filter(({ publicationId, userId }) => publicationId === id && !hidden.has(userId)),
  hashtags: ({ id }, _args, { rows }) => rows.uses.filter(({ publicationId }) => publicationId === id),
  likers: ({ id, likeCount }, args, context) => actorsOf(likes, id, context, args, likeCount),
  replies: ({ id, replyCount }, args, { rows }) =>
    pageIn(keyed(rows.publications.filter(({ parentId }) => parentId === id)), 'asc', args, replyCount),
}

const user: Resolvers<User> = {
  avatar: ({ email }) => {
    const hash = createHash('sha256').update(email.trim().toLowerCase()).digest('hex')
    return `https://www.gravatar.com/avatar/${hash}?d=identicon`
  },
  email: ({ id, email }, _args, { viewer }) => (id === viewer.id && viewer.readsEmail ? email : null),
  editedAt: (row, _args, { viewer }) => (row.id === viewer.id ? row.editedAt : null),
  emailVerified: (row, _args, { viewer }) => (row.id === viewer.id && viewer.readsEmail ? row.emailVerified : null),
  badges: ({ id }, _args, { rows }) =>
    rows.badges
      .filter(({ userId }) => userId === id)
      .map(({ badge }) => badge)
      .toSorted((a, b) => (a.name > b.name ? 1 : -1)),
  ...flagsOf('user'),
  followsViewer: ({ id }, _args, { rows, viewer }) => isMade(follows, id, viewer.id, rows),
  isBlockingViewer: ({ id }, _args, { rows, viewer }) => isMade(blocks, id, viewer.id, rows),
  posts: ({ id }, args, { rows }) =>
    pageIn(
      posts(rows, (author) => author === id),
      'desc',
      args,
    ),
  replies: ({ id }, args, { rows }) =>
    pageIn(keyed(rows.publications.filter((it) => it.parentId && it.authorId === id)), 'desc', args),
  following: ({ id, followingCount }, args, context) => madeBy(follows, id, context, args, followingCount),
  followers: ({ id, followerCount }, args, context) => actorsOf(follows, id, context, args, followerCount),
  bookmarks: ({ id }, args, context) => (id === context.viewer.id ? madeBy(bookmarks, id, context, args) : null),
  mutes: ({ id }, args, context) => (id === context.viewer.id ? madeBy(mutes, id, context, args) : null),
  likes: ({ id }, args, context) => (id === context.viewer.id ? madeBy(likes, id, context, args) : null),
  notifications: ({ id }, args, context) => {
    if (id !== context.viewer.id) return null
    return pageOfTold(eventsOf(context), isTold(context), args, upTo(context))
  },
  unreadNotificationCount: ({ id }, _args, context) => {
    if (id !== context.viewer.id) return null
    return toldBy(eventsOf(context).filter(isTold(context)), upTo(context)).filter(({ unread }) => unread).length
  },
  blocks: ({ id }, args, context) => (id === context.viewer.id ? madeBy(blocks, id, context, args) : null),
}

const eventsOf = ({ rows, viewer }: Context) => rows.events.filter(({ userId }) => userId === viewer.id)
const isTold =
  (context: Context) =>
  ({ actorId }: Context['rows']['events'][number]) =>
    actorId === null ||
    !(
      isMade(mutes, context.viewer.id, actorId, context.rows) ||
      context.rows.blockedPairs.some(({ viewerId, hiddenId }) => viewerId === context.viewer.id && hiddenId === actorId)
    )
const upTo = ({ rows, viewer }: Context) => rows.markers.find(({ userId }) => userId === viewer.id)?.upTo

const notification: Resolvers<Told> = {
  createdAt: ({ id }) => new Date(Number.parseInt(id.slice(0, 13).replace('-', ''), 16)),
  cursor: ({ id }) => cursorOf(id),
  count: ({ events }) => events.length,
  isUnread: ({ unread }) => unread,
  actors: ({ events }, _args, { rows }) =>
    events.slice(0, 5).flatMap(({ actorId }) => (actorId === null ? [] : [byId(rows.users, actorId)])),
  publication: ({ subjectId }, _args, { rows }) => byId(rows.publications, subjectId),
}

const token: Resolvers<AccessToken> = {
  id: (row) => globalIdOf(typeOf(row), row.id),
  scopes: ({ scopes }) => scopes,
  isCurrent: ({ id }, _args, { viewer }) => id === viewer.tokenId,
}

const authorization: Resolvers<OauthGrant> = {
  id: (row) => globalIdOf(typeOf(row), row.id),
  scopes: ({ scopes }) => scopes,
}

const globalId = (row: { readonly id: string }) => globalIdOf(typeOf(row), row.id)

const hashtag: Resolvers<Hashtag> = {
  id: globalId,
  publications: ({ id, publicationCount }, args, context) => {
    const ids = context.rows.uses.filter(({ hashtagId }) => hashtagId === id).map(({ publicationId }) => publicationId)
    const having = context.rows.publications.filter((it) => ids.includes(it.id) && isHeard(it.authorId, context))
    return pageIn(keyed(having), 'desc', args, publicationCount)
  },
}

const report: Resolvers<Report> = {
  id: globalId,
  user: ({ userId }, _args, { rows }) => byId(rows.users, userId),
  publication: ({ subjectId }, _args, { rows }) => byId(rows.publications, subjectId),
  closedBy: ({ closedBy }, _args, { rows }) => byId(rows.users, closedBy),
}

const act: Resolvers<ModerationAct> = {
  id: globalId,
  actor: ({ actorId }, _args, { rows }) => byId(rows.users, actorId),
  user: ({ userId }, _args, { rows }) => byId(rows.users, userId),
}

/** The resolvers of fields with a read, by type. */
export const resolvers: Readonly<Record<string, Resolvers<unknown>>> = {
  Query: query,
  Publication: publication,
  Post: { ...anyNode, ...publication },
  Reply: { ...anyNode, ...publication },
  User: { ...anyNode, ...user },
  Application: anyNode,
  AccessToken: token,
  Authorization: authorization,
  Hashtag: hashtag,
  Report: report,
  ModerationAct: act,
  Notification: notification,
}
