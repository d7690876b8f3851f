import type { ChangeKind, NotificationKind } from '../../engine/data/generated/prisma/enums.ts'
import {
  followUser,
  likePublication,
  type Permission,
  readAnyPublication,
  readFollowers,
  readFollowing,
  readFollows,
  readUser,
  sendPublication,
} from './permissions.ts'

/** How many accounts one account may follow. The cost of a home timeline grows with each of them. */
export const maxFollowing = 10_000

/** Forms of a verb, as in "the viewer likes it", "the result of liking it", "it was liked". */
type VerbForms = { readonly does: string; readonly doing: string; readonly done: string }

/** A list of a relation, in both APIs. */
type RelationList = {
  /** The field of GraphQL and the property of REST that has it. */
  readonly field: string
  /** The end of its path in REST. */
  readonly path: string
  /** The scopes that it requires. */
  readonly permission: Permission
  /** Whether the documented interface has it, where it has no page in its path, and does not say whose list it is. */
  readonly isOfInterface?: true
}

/**
 * What accounts do to publications or to other accounts. Each row of its table is one, whose id is its place in lists, newest first.
 * Its SQL function `set_…` follows from this, as do its fields and mutations, its REST operations, its changes and notifications, and its
 * lines of exports.
 */
type Declaration = {
  /** What it is called. One also is the type of its lines in exports, and several are counted by this name when an account is erased. */
  readonly name: { readonly one: string; readonly many: string }
  /** What sets it and what takes it back. The SQL function `set_…` of the verb does both. */
  readonly verb: string
  /** The limit of accounts that counts how often one sets it, if one does. */
  readonly limitName?: 'likes' | 'follows' | 'publications'
  readonly undo: string
  readonly on: VerbForms
  readonly off: VerbForms
  /** The scopes that setting it requires. */
  readonly permission: Permission
  /** The GraphQL field of an object that says whether the viewer has this relation to it. */
  readonly flag: string
  /** What the description of that field also says. */
  readonly effect?: string
  readonly table: string
  /** The columns of who did it and of what it was done to. */
  readonly actorColumn: string
  readonly objectColumn: string
  /** What an account has the relation to. Everybody sees it if it is public, or else only that account. */
  readonly objects: RelationList & { readonly isPublic: boolean }
  /** The accounts that have the relation to an object, if everybody sees them. */
  readonly actors?: RelationList
} & (LastingRelation | ExpiringRelation) &
  (PublicationRelation | UserRelation)

/** A relation that lasts until it is taken back. */
type LastingRelation = {
  readonly canExpire?: never
  /** The kinds of the changes when it is set and when it is taken back, if the change feed has them. */
  readonly change?: { readonly on: ChangeKind; readonly off: ChangeKind; readonly permission?: Permission }
  /**
   * The kind of the notification that the author or the other account gets of it, if any, and what it tells of. Its table then has
   * the column `notice_key`, and that of a relation to publications also `author_id`.
   */
  readonly notification?: { readonly kind: NotificationKind; readonly of: string }
  /** The column of the object with the number of its rows, if everybody sees it. */
  readonly objectCounter?: string
}

/** A relation that may end by itself, at the time in its column `until`, and so is not counted or told of. */
type ExpiringRelation = {
  readonly canExpire: true
  readonly change?: never
  readonly notification?: never
  readonly objectCounter?: never
}

type PublicationRelation = {
  readonly objectType: 'publication'
  /**
   * Whether it shows the publication to the followers of the account. Only what is for everybody can be shown then, and the id of each row
   * is unique: it is an item of timelines.
   */
  readonly isOfTimelines?: true
}

type UserRelation = {
  readonly objectType: 'user'
  /** How many an account may have. */
  readonly limit: number
  /** The column of the account that did it with the number of its rows, if everybody sees it. */
  readonly actorCounter?: string
  /** The GraphQL field of an account that says whether it has this relation to the viewer, if the viewer may know. */
  readonly objectFlag?: string
  /** Whether a block between both accounts ends it, and forbids new ones. */
  readonly isEndedByBlocks: boolean
  /** From whom it hides the other account, if it does. */
  readonly hidesFrom?: 'actor' | 'both'
  /** What setting it to a private account makes, if that has to accept it first. */
  readonly request?: RequestOfRelation
}

/**
 * A request to a private account. The SQL functions `add_…_request` and `end_…_request` of the verb make and remove it. It counts
 * towards the limit of the relation, and taking the relation back or a block removes it.
 */
type RequestOfRelation = {
  /** What was done then, instead of setting the relation. */
  readonly done: string
  readonly table: string
  readonly actorColumn: string
  readonly objectColumn: string
  readonly notification: { readonly kind: NotificationKind; readonly of: string }
}

/** An account likes a publication. Its author is notified. */
export const likes = {
  name: { one: 'like', many: 'likes' },
  verb: 'like',
  undo: 'unlike',
  on: { does: 'likes', doing: 'liking', done: 'liked' },
  off: { does: 'unlikes', doing: 'unliking', done: 'unliked' },
  permission: likePublication,
  flag: 'viewerHasLiked',
  limitName: 'likes',
  table: 'likes',
  actorColumn: 'user_id',
  objectColumn: 'publication_id',
  objectType: 'publication',
  objectCounter: 'like_count',
  objects: { field: 'likes', path: 'likes', permission: readAnyPublication, isPublic: false },
  actors: { field: 'likers', path: 'likes', permission: readUser },
  change: { on: 'LIKED', off: 'UNLIKED' },
  notification: { kind: 'LIKE', of: 'Likes of a publication of the viewer' },
} as const satisfies Declaration

/** An account shows a publication to its followers. Its author is notified. */
export const reposts = {
  name: { one: 'repost', many: 'reposts' },
  verb: 'repost',
  undo: 'unrepost',
  on: { does: 'reposts', doing: 'reposting', done: 'reposted' },
  off: { does: 'unreposts', doing: 'unreposting', done: 'unreposted' },
  permission: sendPublication,
  flag: 'viewerHasReposted',
  limitName: 'publications',
  table: 'reposts',
  actorColumn: 'user_id',
  objectColumn: 'publication_id',
  objectType: 'publication',
  isOfTimelines: true,
  objectCounter: 'repost_count',
  objects: { field: 'reposts', path: 'reposts', permission: readAnyPublication, isPublic: true },
  actors: { field: 'reposters', path: 'reposts', permission: readUser },
  change: { on: 'REPOSTED', off: 'UNREPOSTED' },
  notification: { kind: 'REPOST', of: 'Reposts of a publication of the viewer' },
} as const satisfies Declaration

/** An account keeps a publication in a list that only it sees. */
export const bookmarks = {
  name: { one: 'bookmark', many: 'bookmarks' },
  verb: 'bookmark',
  undo: 'unbookmark',
  on: { does: 'bookmarks', doing: 'bookmarking', done: 'bookmarked' },
  off: { does: 'unbookmarks', doing: 'unbookmarking', done: 'unbookmarked' },
  permission: likePublication,
  flag: 'viewerHasBookmarked',
  effect: 'Nobody else sees this.',
  table: 'bookmarks',
  actorColumn: 'user_id',
  objectColumn: 'publication_id',
  objectType: 'publication',
  objects: { field: 'bookmarks', path: 'bookmarks', permission: readAnyPublication, isPublic: false },
} as const satisfies Declaration

/** An account follows another one, whose posts its home timeline then has. */
export const follows = {
  name: { one: 'follow', many: 'follows' },
  verb: 'follow',
  undo: 'unfollow',
  on: { does: 'follows', doing: 'following', done: 'followed' },
  off: { does: 'unfollows', doing: 'unfollowing', done: 'unfollowed' },
  permission: followUser,
  flag: 'viewerIsFollowing',
  objectFlag: 'followsViewer',
  limitName: 'follows',
  table: 'follows',
  actorColumn: 'follower_id',
  objectColumn: 'followee_id',
  objectType: 'user',
  limit: maxFollowing,
  isEndedByBlocks: true,
  actorCounter: 'following_count',
  objectCounter: 'follower_count',
  objects: { field: 'following', path: 'following', permission: readFollowing, isPublic: true, isOfInterface: true },
  actors: { field: 'followers', path: 'followers', permission: readFollowers, isOfInterface: true },
  change: { on: 'FOLLOWED', off: 'UNFOLLOWED', permission: readFollows },
  notification: { kind: 'FOLLOW', of: 'New followers' },
  request: {
    done: 'requested',
    table: 'follow_requests',
    actorColumn: 'requester_id',
    objectColumn: 'requested_id',
    notification: { kind: 'FOLLOW_REQUEST', of: 'Accounts that ask to follow the viewer' },
  },
} as const satisfies Declaration

/** An account blocks another one, which hides both from one another. */
export const blocks = {
  name: { one: 'block', many: 'blocks' },
  verb: 'block',
  undo: 'unblock',
  on: { does: 'blocks', doing: 'blocking', done: 'blocked' },
  off: { does: 'unblocks', doing: 'unblocking', done: 'unblocked' },
  permission: followUser,
  flag: 'viewerIsBlocking',
  effect:
    "While either blocks the other, neither finds what the other publishes, and this account's lists are " +
    'empty for the viewer.',
  objectFlag: 'isBlockingViewer',
  table: 'blocks',
  actorColumn: 'blocker_id',
  objectColumn: 'blocked_id',
  objectType: 'user',
  limit: 10_000,
  isEndedByBlocks: false,
  hidesFrom: 'both',
  objects: { field: 'blocks', path: 'blocks', permission: followUser, isPublic: false },
  change: { on: 'BLOCKED', off: 'UNBLOCKED', permission: readUser },
} as const satisfies Declaration

/** An account leaves another one out of its timelines, for some time or until it is taken back. */
export const mutes = {
  name: { one: 'mute', many: 'mutes' },
  verb: 'mute',
  undo: 'unmute',
  on: { does: 'mutes', doing: 'muting', done: 'muted' },
  off: { does: 'unmutes', doing: 'unmuting', done: 'unmuted' },
  permission: followUser,
  flag: 'viewerIsMuting',
  effect: 'Timelines leave out what it publishes. Nobody else sees this.',
  table: 'mutes',
  actorColumn: 'muter_id',
  objectColumn: 'muted_id',
  objectType: 'user',
  limit: 10_000,
  isEndedByBlocks: false,
  hidesFrom: 'actor',
  canExpire: true,
  objects: { field: 'mutes', path: 'mutes', permission: followUser, isPublic: false },
} as const satisfies Declaration

const all = [likes, reposts, bookmarks, follows, blocks, mutes] as const

/** What one of a relation is called. */
export type RelationName = (typeof all)[number]['name']['one']

/** A relation. */
export type Relation = Declaration & { readonly name: { readonly one: RelationName } }

/** All relations. What is the same for each of them follows from this list. */
export const relations: readonly Relation[] = all

/** The relations to objects of this type. */
export const relationsTo = (type: Relation['objectType']): readonly Relation[] =>
  relations.filter(({ objectType }) => objectType === type)

/** Whether a relation hides both accounts from one another. Only they see its changes. */
export const hidesBoth = (relation: Relation): boolean =>
  relation.objectType === 'user' && relation.hidesFrom === 'both'

/** Whether a relation shows publications to the followers of an account. */
export const isOfTimelines = (relation: Relation): boolean =>
  relation.objectType === 'publication' && relation.isOfTimelines === true

/** The requests that come before a relation to a private account, if it has some. */
export const requestOf = (relation: Relation): RequestOfRelation | undefined =>
  relation.objectType === 'user' ? relation.request : undefined

/** The word for what was done before, which a relation's SQL function returns to those who count what is new. */
export const repeated = (done: string) => `${done} before`

/** What relations and requests notify of. */
export const relationNotifications = relations.flatMap((relation) =>
  [relation.notification, requestOf(relation)?.notification].filter((it) => it !== undefined),
)

/** The column of the account that did it with the number of a relation's rows, if it has one. */
const actorCounterOf = (relation: Relation) => (relation.objectType === 'user' ? relation.actorCounter : undefined)

/** The counters of relations in rows of this type: the relation, its end where they are, their column and their GraphQL field. */
export function countersOf(type: Relation['objectType']) {
  return relations.flatMap((relation) => {
    const ofObject = relation.objectType === type ? relation.objectCounter : undefined
    const ofActor = type === 'user' ? actorCounterOf(relation) : undefined
    return (['object', 'actor'] as const).flatMap((end) => {
      const column = end === 'object' ? ofObject : ofActor
      return column ? [{ relation, end, column, field: camelCase(column) }] : []
    })
  })
}

/** The counters of relations in a row `it` of this type, each with the SQL that counts its rows. */
export function relationCounters(type: Relation['objectType']) {
  return countersOf(type).map(({ relation: { table, objectColumn, actorColumn }, end, column: counter }) => ({
    counter,
    count: `(select count(*) from ${table} r where r.${end === 'object' ? objectColumn : actorColumn} = it.id)`,
  }))
}

/** A word with a capital letter. */
export const capitalized = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`

const camelCase = (column: string) => column.replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase())

const conjunction = new Intl.ListFormat('en-GB')

/** Words in a sentence, such as "likes, follows and mutes". */
export const inWords = (words: readonly string[]): string => conjunction.format(words)
