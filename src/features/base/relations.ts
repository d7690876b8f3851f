import { followUser, likePublication, type Permission } from './permissions.ts'

/** How many accounts one account may follow. The cost of a home timeline grows with each of them. */
export const maxFollowing = 10_000

/** Forms of a verb, as in "the viewer likes it", "the result of liking it", "it was liked". */
type VerbForms = { readonly does: string; readonly doing: string; readonly done: string }

/** What accounts do to publications or to other accounts. Each row of its table is one, whose id is its place in lists, newest first. */
export type Relation = {
  /** What takes back what the `verb` says. The SQL function `set_…` of the verb does both. */
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
  /** The columns with the number of its rows, of who did it and of what it was done to, where it is counted. */
  readonly actorCounter?: string
  readonly objectCounter?: string
  /** Whether it may end by itself, at the time in its column `until`. */
  readonly canExpire?: true
} & (PublicationRelation | UserRelation)

type PublicationRelation = { readonly objectType: 'publication'; readonly verb: 'like' | 'bookmark' }

type UserRelation = {
  readonly objectType: 'user'
  readonly verb: 'follow' | 'block' | 'mute'
  /** How many an account may have. */
  readonly limit: number
  /** Whether a block between both accounts ends it, and forbids new ones. */
  readonly isEndedByBlocks: boolean
  /** From whom it hides the other account, if it does. */
  readonly hidesFrom?: 'actor' | 'both'
}

export const likes = {
  verb: 'like',
  undo: 'unlike',
  on: { does: 'likes', doing: 'liking', done: 'liked' },
  off: { does: 'unlikes', doing: 'unliking', done: 'unliked' },
  permission: likePublication,
  flag: 'viewerHasLiked',
  table: 'likes',
  actorColumn: 'user_id',
  objectColumn: 'publication_id',
  objectType: 'publication',
  objectCounter: 'like_count',
} as const satisfies Relation

export const follows = {
  verb: 'follow',
  undo: 'unfollow',
  on: { does: 'follows', doing: 'following', done: 'followed' },
  off: { does: 'unfollows', doing: 'unfollowing', done: 'unfollowed' },
  permission: followUser,
  flag: 'viewerIsFollowing',
  table: 'follows',
  actorColumn: 'follower_id',
  objectColumn: 'followee_id',
  objectType: 'user',
  limit: maxFollowing,
  isEndedByBlocks: true,
  actorCounter: 'following_count',
  objectCounter: 'follower_count',
} as const satisfies Relation

export const bookmarks = {
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
} as const satisfies Relation

export const blocks = {
  verb: 'block',
  undo: 'unblock',
  on: { does: 'blocks', doing: 'blocking', done: 'blocked' },
  off: { does: 'unblocks', doing: 'unblocking', done: 'unblocked' },
  permission: followUser,
  flag: 'viewerIsBlocking',
  effect:
    'While either blocks the other, neither finds what the other publishes, and the lists of this account are empty.',
  table: 'blocks',
  actorColumn: 'blocker_id',
  objectColumn: 'blocked_id',
  objectType: 'user',
  limit: 10_000,
  isEndedByBlocks: false,
  hidesFrom: 'both',
} as const satisfies Relation

export const mutes = {
  verb: 'mute',
  undo: 'unmute',
  on: { does: 'mutes', doing: 'muting', done: 'muted' },
  off: { does: 'unmutes', doing: 'unmuting', done: 'unmuted' },
  permission: followUser,
  flag: 'viewerIsMuting',
  effect: 'Their timelines leave out what it publishes. Nobody else sees this.',
  table: 'mutes',
  actorColumn: 'muter_id',
  objectColumn: 'muted_id',
  objectType: 'user',
  limit: 10_000,
  isEndedByBlocks: false,
  hidesFrom: 'actor',
  canExpire: true,
} as const satisfies Relation

/** All relations. What is the same for each of them follows from this list: deletion, counters, and tests. */
export const relations: readonly Relation[] = [likes, follows, bookmarks, blocks, mutes]

/** The relations to objects of this type. */
export const relationsTo = (type: Relation['objectType']): readonly Relation[] =>
  relations.filter(({ objectType }) => objectType === type)

/** The counters of relations in a row `it` of this type, each with the SQL that counts its rows. */
export function relationCounters(type: Relation['objectType']) {
  return relations.flatMap(({ table, objectType, objectColumn, objectCounter, actorColumn, actorCounter }) => {
    const ofObject = objectType === type && objectCounter ? [[objectCounter, objectColumn]] : []
    const ofActor = type === 'user' && actorCounter ? [[actorCounter, actorColumn]] : []
    return [...ofObject, ...ofActor].map(([counter, column]) => ({
      counter,
      count: `(select count(*) from ${table} r where r.${column} = it.id)`,
    }))
  })
}

export const capitalized = (word: string) => `${word.charAt(0).toUpperCase()}${word.slice(1)}`
