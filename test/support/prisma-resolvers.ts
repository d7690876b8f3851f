import { createHash } from 'node:crypto'
import type { Database } from '../../src/data/database.ts'
import type {
  AccessToken,
  Hashtag,
  LivePublication,
  ModerationAct,
  Notification,
  Report,
  User,
} from '../../src/data/generated/prisma/client.ts'
import { blocks, bookmarks, type Edge, edgesTo, follows, likes, mutes } from '../../src/domain/edges.ts'
import { hashtagIn } from '../../src/domain/entities.ts'
import { pageSize } from '../../src/page-size.ts'
import { flagOf } from './edges.ts'
import { globalIdOf } from './reference.ts'
import { cursorOf, type Keyed, type PageArgs, pageIn } from './reference-pages.ts'
import type { Rows } from './reference-rows.ts'

export type Viewer = Readonly<{ id: string; tokenId: string; readsEmail: boolean; isModerator: boolean }>
export type Context = {
  readonly database: Database
  /** Without the publications that are hidden from the viewer. */
  readonly rows: Rows
  readonly viewer: Viewer
  readonly hidden: ReadonlySet<string>
}
type UserBy = { readonly uuid?: string | null; readonly username?: string | null }
type Args = PageArgs & {
  readonly uuid: string
  readonly uuids: readonly string[]
  readonly by: UserBy & readonly UserBy[]
  readonly id: string
  readonly ids: readonly string[]
  readonly name: string
  readonly text: string
  readonly author?: UserBy | null
}
/** As methods, resolvers of any row can be kept together. */
export type Resolvers<Row> = Readonly<Record<string, { of(row: Row, args: Args, context: Context): unknown }['of']>>

const byId = <Row extends { id: string }>(rows: readonly Row[], id: string | null | undefined) =>
  rows.find((row) => row.id === id) ?? null
const keyed = <Row extends { id: string }>(rows: readonly Row[], nodeOf: (row: Row) => unknown = (row) => row) =>
  rows.map((row): Keyed => ({ key: row.id, node: nodeOf(row) }))

/** The name of the type of a row. */
export const typeOf = (row: object) => {
  if ('content' in row) return Reflect.get(row, 'parentId') === null ? 'Post' : 'Reply'
  return 'username' in row ? 'User' : 'hash' in row ? 'AccessToken' : 'Application'
}

const findUser = ({ uuid, username }: UserBy, { rows: { users } }: Context) =>
  uuid ? byId(users, uuid) : (users.find((user) => user.username.toLowerCase() === username?.toLowerCase()) ?? null)

function findNode(id: string, { rows, viewer }: Context) {
  const [type, uuid] = Buffer.from(id, 'base64').toString().split(':')
  const own = rows.tokens.filter(({ userId }) => userId === viewer.id)
  const all: { id: string }[] = [...rows.users, ...rows.publications, ...rows.applications, ...own]
  return all.find((row) => row.id === uuid && typeOf(row) === type) ?? null
}

/** What a publication replies to, what that replies to, and so on, the post first, with null for what is not shown. */
function ancestorsOf(row: LivePublication, { rows }: Context): (LivePublication | null)[] {
  const line: (LivePublication | null)[] = []
  for (let parent = byId(rows.members, row.parentId); parent; parent = byId(rows.members, parent.parentId))
    line.unshift(byId(rows.publications, parent.id))
  return line.slice(-100)
}

/** A page of all publications of a thread, of which those that are not shown are places. */
function threadOf(row: LivePublication, { rows }: Context, args: Args) {
  const members = rows.members.filter(({ rootId }) => rootId === row.rootId)
  const nodeOf = ({ id }: { id: string }) => byId(rows.publications, id)
  const { edges, ...page } = pageIn(keyed(members), 'asc', args)
  const found = edges.map(({ cursor }) => ({ cursor, node: members.find(({ id }) => cursorOf(id) === cursor) }))
  return {
    ...page,
    edges: found.flatMap(({ cursor, node }) => (node && nodeOf(node) ? [{ cursor, node: nodeOf(node) }] : [])),
    places: found.flatMap(({ node }) => (node && !nodeOf(node) ? [node] : [])),
  }
}

const posts = ({ publications }: Rows, isBy: (authorId: string) => boolean) =>
  keyed(publications.filter(({ parentId, authorId }) => parentId === null && isBy(authorId)))

const edgesOf = (edge: Edge, { edges }: Rows) => edges.get(edge) ?? []

/** Whether an edge leads from one account to an object. */
const isMade = (edge: Edge, maker: string, object: string, rows: Rows) =>
  edgesOf(edge, rows).some(({ from, to }) => from === maker && to === object)

/** The flags of the edges that lead to objects of this kind. */
const flagsOf = (noun: Edge['noun']): Resolvers<{ id: string }> =>
  Object.fromEntries(
    edgesTo(noun).map((edge) => [
      flagOf(edge),
      ({ id }: { id: string }, _args: Args, { rows, viewer }: Context) => isMade(edge, viewer.id, id, rows),
    ]),
  )

/** A page of the accounts that an edge to this object comes from. */
function makersOf(edge: Edge, object: string, { rows, hidden }: Context, args: Args, total?: number) {
  const made = edgesOf(edge, rows).filter(({ from, to }) => to === object && !hidden.has(from) && !hidden.has(to))
  const list = keyed(made, ({ from }) => byId(rows.users, from))
  return pageIn(list, 'desc', args, total)
}

/** A page of the objects that an edge from this account leads to. */
function madeBy(edge: Edge, maker: string, { rows, hidden }: Context, args: Args, total?: number) {
  const objects: readonly { id: string }[] = edge.noun === 'user' ? rows.users : rows.publications
  const isShown = (id: string) => edge === blocks || edge === mutes || !hidden.has(id)
  const made = edgesOf(edge, rows).filter(
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
function usersFound({ text, first }: Args, { rows, viewer, hidden }: Context) {
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
  searchUsers: (_root, args, context) => usersFound(args, context),
  applications: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.applications.filter(({ ownerId }) => ownerId === viewer.id)), 'desc', args),
  reports: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.reports.filter(({ state, userId }) => state === 'OPEN' && userId !== viewer.id)), 'desc', args),
  moderationLog: (_root, args, { rows }) => pageIn(keyed(rows.acts), 'desc', args),
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
  likers: ({ id, likeCount }, args, context) => makersOf(likes, id, context, args, likeCount),
  replies: ({ id, replyCount }, args, { rows }) =>
    pageIn(keyed(rows.publications.filter(({ parentId }) => parentId === id)), 'asc', args, replyCount),
}

const user: Resolvers<User> = {
  avatar: ({ email }) => {
    const hash = createHash('sha256').update(email.trim().toLowerCase()).digest('hex')
    return `https://www.gravatar.com/avatar/${hash}?d=identicon`
  },
  email: ({ id, email }, _args, { viewer }) => (id === viewer.id && viewer.readsEmail ? email : null),
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
  followers: ({ id, followerCount }, args, context) => makersOf(follows, id, context, args, followerCount),
  bookmarks: ({ id }, args, context) => (id === context.viewer.id ? madeBy(bookmarks, id, context, args) : null),
  mutes: ({ id }, args, context) => (id === context.viewer.id ? madeBy(mutes, id, context, args) : null),
  likes: ({ id }, args, context) => (id === context.viewer.id ? madeBy(likes, id, context, args) : null),
  notifications: ({ id }, args, { rows, viewer }) => {
    if (id !== viewer.id) return null
    const own = rows.notifications.filter(({ userId }) => userId === id)
    return pageIn(
      own.map((node) => ({ key: node.latestId, node })),
      'desc',
      args,
    )
  },
  unreadNotificationCount: ({ id }, _args, { rows, viewer }) =>
    id === viewer.id ? rows.notifications.filter(({ userId, unread }) => userId === id && unread).length : null,
  blocks: ({ id }, args, context) => (id === context.viewer.id ? madeBy(blocks, id, context, args) : null),
}

const notification: Resolvers<Notification> = {
  createdAt: ({ latestId }) => new Date(Number.parseInt(latestId.slice(0, 13).replace('-', ''), 16)),
  cursor: ({ latestId }) => cursorOf(latestId),
  actors: ({ id }, _args, { rows, hidden }) =>
    rows.events
      .filter(({ notificationId }) => notificationId === id)
      .slice(0, 5)
      .filter(({ actorId }) => !hidden.has(actorId))
      .map(({ actorId }) => byId(rows.users, actorId)),
  publication: ({ subjectId }, _args, { rows }) => byId(rows.publications, subjectId),
}

const token: Resolvers<AccessToken> = {
  id: (row) => globalIdOf(typeOf(row), row.id),
  scopes: ({ scopes }) => scopes,
  isCurrent: ({ id }, _args, { viewer }) => id === viewer.tokenId,
}

const hashtag: Resolvers<Hashtag> = {
  publications: ({ id, publicationCount }, args, context) => {
    const ids = context.rows.uses.filter(({ hashtagId }) => hashtagId === id).map(({ publicationId }) => publicationId)
    const having = context.rows.publications.filter((it) => ids.includes(it.id) && isHeard(it.authorId, context))
    return pageIn(keyed(having), 'desc', args, publicationCount)
  },
}

const report: Resolvers<Report> = {
  user: ({ userId }, _args, { rows }) => byId(rows.users, userId),
  publication: ({ subjectId }, _args, { rows }) => byId(rows.publications, subjectId),
  closedBy: ({ closedBy }, _args, { rows }) => byId(rows.users, closedBy),
}

const act: Resolvers<ModerationAct> = {
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
  Hashtag: hashtag,
  Report: report,
  ModerationAct: act,
  Notification: notification,
}
