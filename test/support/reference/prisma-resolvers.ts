import { createHash } from 'node:crypto'
import { pageSize } from '../../../src/engine/compiler/limits.ts'
import type {
  AccessToken,
  Appeal,
  Hashtag,
  Invitation,
  LivePublication,
  ModerationAct,
  OauthGrant,
  Report,
  User,
} from '../../../src/engine/data/generated/prisma/client.ts'
import { hashtagIn } from '../../../src/features/base/entities.ts'
import {
  countersOf,
  follows,
  mutes,
  type Relation,
  relations,
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
import { cursorOf, pageIn, timeOf } from './pages.ts'
import type { Rows } from './rows.ts'
import { globalIdOf } from './schema.ts'
import { homeOf, isHeard, isOfHome, timelineBy, timelineItem } from './timelines.ts'

const posts = ({ publications }: Rows, isBy: (authorId: string) => boolean) =>
  keyed(publications.filter(({ parentId, authorId }) => parentId === null && isBy(authorId)))

const relationsOf = (relation: Relation, { relations }: Rows) => relations.get(relation) ?? []

/** Whether a relation leads from one account to an object. */
const isMade = (relation: Relation, maker: string, object: string, rows: Rows) =>
  relationsOf(relation, rows).some(({ from, to }) => from === maker && to === object)

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
  const isWhole = relation.objectType === 'user' && !relation.objects.isPublic
  const isShown = (id: string) => isWhole || !hidden.has(id)
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

type Row = { readonly id: string }

/** A counter of a relation in the row of one of its ends, if there is one. */
const countIn = (row: Row, relation: Relation, end: 'object' | 'actor'): number | undefined => {
  const counters = [...countersOf('user'), ...countersOf('publication')]
  const counter = counters.find((it) => it.relation === relation && it.end === end)
  return counter && Number(Reflect.get(row, counter.field))
}

/** The counters of relations in rows of this type. */
const counters = (type: Relation['objectType']): Resolvers<Row> =>
  Object.fromEntries(countersOf(type).map(({ field }) => [field, (row: Row) => Reflect.get(row, field)]))

/** What objects have of a relation to them: the flag of the viewer, and who has it. */
const objectFieldsOf = (relation: Relation): Resolvers<Row> => ({
  [relation.flag]: ({ id }, _args, { rows, viewer }) => isMade(relation, viewer.id, id, rows),
  ...(relation.actors && {
    [relation.actors.field]: (row: Row, args: Args, context: Context) =>
      actorsOf(relation, row.id, context, args, countIn(row, relation, 'object')),
  }),
})

/** What accounts have of their relations: what these lead to, and whether they lead to the viewer. */
const actorFieldsOf = (relation: Relation): Resolvers<Row> => ({
  [relation.objects.field]: (row, args, context) =>
    relation.objects.isPublic || row.id === context.viewer.id
      ? madeBy(relation, row.id, context, args, countIn(row, relation, 'actor'))
      : null,
  ...(relation.objectType === 'user' &&
    relation.objectFlag && {
      [relation.objectFlag]: ({ id }: Row, _args: Args, { rows, viewer }: Context) =>
        isMade(relation, id, viewer.id, rows),
    }),
})

/** The fields of all relations that objects of a type have. */
const relationFieldsOf = (type: Relation['objectType']): Resolvers<Row> =>
  Object.assign(
    counters(type),
    ...relationsTo(type).map(objectFieldsOf),
    ...(type === 'user' ? relations.map(actorFieldsOf) : []),
  )

/** A page of the accounts at the other end of the viewer's requests; null for another row. */
function requestsOf({ id }: Row, end: 'requesterId' | 'requestedId', { rows, viewer }: Context, args: Args) {
  if (id !== viewer.id) return null
  const other = end === 'requesterId' ? 'requestedId' : 'requesterId'
  const own = rows.requests.filter((it) => it[end] === id)
  return pageIn(
    keyed(own, (it) => byId(rows.users, it[other])),
    'desc',
    args,
  )
}

const isRequested = (requester: string, requested: string, { requests }: Rows) =>
  requests.some(({ requesterId, requestedId }) => requesterId === requester && requestedId === requested)

/** Rows without publications in languages that the arguments do not select. */
function inLanguages(rows: Rows, { languages, includeUnknownLanguage }: Args): Rows {
  const ranges = languages ?? []
  const isIn = ({ language }: LivePublication) =>
    language === null
      ? includeUnknownLanguage !== false
      : ranges.some((range) => language === range || language.startsWith(`${range}-`))
  return ranges.length === 0 ? rows : { ...rows, publications: rows.publications.filter(isIn) }
}

/** A page of the posts of such authors, without those whom the viewer mutes. */
function timeline(context: Context, args: Args, isBy: (authorId: string, context: Context) => boolean) {
  const isShown = (author: string) => isBy(author, context) && isHeard(author, context)
  return pageIn(posts(inLanguages(context.rows, args), isShown), 'desc', args)
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
  hashtag: (_root, { name }, { rows }) =>
    byId(
      rows.hashtags.filter(({ publicationCount }) => publicationCount > 0),
      hashtagIn(name)?.id,
    ),
  node: (_root, { id }, context) => findNode(id, context),
  nodes: (_root, { ids }, context) => ids.map((id) => findNode(id, context)),
  publicTimeline: (_root, args, context) => timeline(context, args, () => true),
  homeTimeline: (_root, args, context) => timeline(context, args, isOfHome),
  home: (_root, args, context) => homeOf(context, args),
  searchPublications: (_root, args, context) => {
    const author = args.author && { id: null, ...findUser(args.author, context) }
    const isFound = ({ authorId, content }: LivePublication) =>
      hasWords(content, args.text) && isHeard(authorId, context) && (!author || author.id === authorId)
    return pageIn(keyed(inLanguages(context.rows, args).publications.filter(isFound)), 'desc', args)
  },
  searchUsers: (_root, args, context) => userSearch(args, context),
  applications: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.applications.filter(({ ownerId }) => ownerId === viewer.id)), 'desc', args),
  reports: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.reports.filter(({ state, userId }) => state === 'OPEN' && userId !== viewer.id)), 'desc', args),
  appeals: (_root, args, { rows }) => pageIn(keyed(rows.appeals.filter(({ state }) => state === 'OPEN')), 'desc', args),
  invitations: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.invitations.filter(({ creatorId }) => creatorId === viewer.id)), 'desc', args),
  allInvitations: (_root, args, { rows }) => pageIn(keyed(rows.invitations), 'desc', args),
  pendingAccounts: (_root, args, { rows }) => pageIn(keyed(rows.pendingAccounts), 'desc', args),
  moderationLog: (_root, args, { rows }) => pageIn(keyed(rows.acts), 'desc', args),
  authorizations: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.authorizations.filter(({ userId }) => userId === viewer.id)), 'desc', args),
  secondFactor: (_root, _args, { rows, viewer }) => rows.factors.find(({ userId }) => userId === viewer.id) ?? null,
  accessTokens: (_root, args, { rows, viewer }) =>
    pageIn(keyed(rows.tokens.filter(({ userId }) => userId === viewer.id)), 'desc', args),
}

const anyNode: Resolvers<{ id: string; version: bigint }> = {
  id: (row) => globalIdOf(typeOf(row), row.id),
  version: ({ version }) => String(version),
}

const publication: Resolvers<LivePublication> = {
  ...relationFieldsOf('publication'),
  parentUuid: ({ parentId }) => parentId,
  ancestors: (row, _args, context) => ancestorsOf(row, context),
  thread: (row, args, context) => threadOf(row, context, args),
  mentions: ({ id }, _args, { rows, hidden }) =>
    rows.mentions.filter(({ publicationId, userId }) => publicationId === id && !hidden.has(userId)),
  hashtags: ({ id }, _args, { rows }) => rows.uses.filter(({ publicationId }) => publicationId === id),
  replies: ({ id, replyCount }, args, { rows }) =>
    pageIn(keyed(rows.publications.filter(({ parentId }) => parentId === id)), 'asc', args, replyCount),
  quotes: ({ id }, args, { rows }) =>
    pageIn(keyed(rows.publications.filter(({ quotedId }) => quotedId === id)), 'desc', args),
}

const user: Resolvers<User> = {
  avatar: ({ email }) => {
    const hash = createHash('sha256').update(email.trim().toLowerCase()).digest('hex')
    return `https://www.gravatar.com/avatar/${hash}?d=identicon`
  },
  email: ({ id, email }, _args, { viewer }) => (id === viewer.id && viewer.readsEmail ? email : null),
  editedAt: (row, _args, { viewer }) => (row.id === viewer.id ? row.editedAt : null),
  readingLanguages: (row, _args, { viewer }) => (row.id === viewer.id ? row.readingLanguages : null),
  emailVerified: (row, _args, { viewer }) => (row.id === viewer.id && viewer.readsEmail ? row.emailVerified : null),
  badges: ({ id }, _args, { rows }) =>
    rows.badges
      .filter(({ userId }) => userId === id)
      .map(({ badge }) => badge)
      .toSorted((a, b) => (a.name > b.name ? 1 : -1)),
  ...relationFieldsOf('user'),
  invitedBy: ({ invitedById }, _args, { rows }) => byId(rows.users, invitedById),
  isApproved: ({ id }, _args, { rows, viewer }) =>
    id === viewer.id ? !rows.pendingAccounts.some((it) => it.id === id) : null,
  isPrivate: ({ id }, _args, { rows }) => rows.privateAccounts.some(({ userId }) => userId === id),
  viewerHasRequested: ({ id }, _args, { rows, viewer }) => isRequested(viewer.id, id, rows),
  hasRequestedViewer: ({ id }, _args, { rows, viewer }) => isRequested(id, viewer.id, rows),
  followRequests: (row, args, context) => requestsOf(row, 'requestedId', context, args),
  sentFollowRequests: (row, args, context) => requestsOf(row, 'requesterId', context, args),
  posts: ({ id }, args, { rows }) =>
    pageIn(
      posts(rows, (author) => author === id),
      'desc',
      args,
    ),
  replies: ({ id }, args, { rows }) =>
    pageIn(keyed(rows.publications.filter((it) => it.parentId && it.authorId === id)), 'desc', args),
  timeline: ({ id }, args, context) => timelineBy(id, context, args),
  appeals: ({ id }, args, { rows, viewer }) =>
    id === viewer.id ? pageIn(keyed(rows.appeals.filter(({ userId }) => userId === id)), 'desc', args) : null,
  addressed: ({ id }, args, { rows, viewer }) => {
    if (id !== viewer.id) return null
    const own = rows.addressees.filter(({ userId }) => userId === id).map(({ publicationId }) => publicationId)
    return pageIn(keyed(rows.publications.filter((it) => own.includes(it.id))), 'desc', args)
  },
  notifications: ({ id }, args, context) => {
    if (id !== context.viewer.id) return null
    return pageOfTold(eventsOf(context), isTold(context), args, upTo(context))
  },
  unreadNotificationCount: ({ id }, _args, context) => {
    if (id !== context.viewer.id) return null
    return toldBy(eventsOf(context).filter(isTold(context)), upTo(context)).filter(({ unread }) => unread).length
  },
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
  createdAt: ({ id }) => timeOf(id),
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

const secondFactor: Resolvers<Rows['factors'][number]> = {
  recoveryCodesLeft: ({ recoveryCodes }) => recoveryCodes.length,
  passkeys: ({ passkeys }) => passkeys.length,
}

const authorization: Resolvers<OauthGrant> = {
  id: (row) => globalIdOf(typeOf(row), row.id),
  scopes: ({ scopes }) => scopes,
}

const globalId = (row: { readonly id: string }) => globalIdOf(typeOf(row), row.id)

const hashtag: Resolvers<Hashtag> = {
  id: globalId,
  publications: ({ id, publicationCount }, args, context) => {
    const ids = context.rows.uses
      .filter((use) => use.isListed && use.hashtagId === id)
      .map(({ publicationId }) => publicationId)
    const having = inLanguages(context.rows, args).publications.filter(
      (it) => ids.includes(it.id) && isHeard(it.authorId, context),
    )
    return pageIn(keyed(having), 'desc', args, args.languages?.length ? null : publicationCount)
  },
}

const report: Resolvers<Report> = {
  id: globalId,
  user: ({ userId }, _args, { rows }) => byId(rows.users, userId),
  publication: ({ subjectId }, _args, { rows }) => byId(rows.publications, subjectId),
  closedBy: ({ closedBy }, _args, { rows }) => byId(rows.users, closedBy),
}

const appeal: Resolvers<Appeal> = {
  id: globalId,
  answeredBy: ({ answeredBy }, _args, { rows }) => byId(rows.users, answeredBy),
}

const invitation: Resolvers<Invitation> = {
  id: globalId,
  creator: ({ creatorId }, _args, { rows }) => byId(rows.users, creatorId),
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
  Appeal: appeal,
  Invitation: invitation,
  ModerationAct: act,
  SecondFactor: secondFactor,
  Notification: notification,
  TimelineItem: timelineItem,
}
