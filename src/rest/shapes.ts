import { notFound, Refusal } from '../errors.ts'
import type {
  AuthorData,
  ParentData,
  ProfileData,
  ProfileWithEmailData,
  PublicationData,
  ReplyData,
} from './fragments.ts'

/** The value of a lookup. Throws `NOT_FOUND` when there is none. */
export function found<Value>(what: string, value: Value | null): Value {
  if (value === null) throw notFound(what)
  return value
}

/** A list that its owner alone sees. Throws `FORBIDDEN` for everybody else, who gets null. */
export function visible<Value>(what: string, value: Value | null): Value {
  if (value === null) throw new Refusal('FORBIDDEN', `A user's ${what} are visible to that user only.`)
  return value
}

/** A post object (section 2.1 of the interface), of a post or of a reply. */
export function postObject(publication: PublicationData) {
  return {
    uuid: publication.uuid,
    parent: 'parentUuid' in publication ? parentObject(publication.parentUuid, publication.parent) : null,
    author: embeddedAuthor(publication.author),
    content: publication.content,
    from: publication.from && {
      uuid: publication.from.uuid,
      name: publication.from.name,
      website: publication.from.website,
    },
    locked: publication.locked,
    reply_count: publication.replyCount,
    like_count: publication.likeCount,
    has_liked: publication.viewerHasLiked,
    created_at: seconds(publication.createdAt),
  }
}

/** The post objects of a list. */
export function postObjects(publications: readonly PublicationData[]) {
  return publications.map(postObject)
}

/** A user object (section 2.2). Only the viewer's own has the two e-mail fields, which are null without the scope `user.email`. */
export function userObject(user: ProfileWithEmailData, viewerId: string) {
  const own = user.uuid === viewerId
  return {
    uuid: user.uuid,
    username: user.username,
    display_name: user.displayName,
    avatar: user.avatar,
    ...(own && { email: user.email, email_verified: user.emailVerified }),
    ...restOfUserObject(user),
  }
}

/** The user objects of a list, without the two e-mail fields. */
export function userObjects(users: readonly ProfileData[]) {
  return users.map((user) => ({
    uuid: user.uuid,
    username: user.username,
    display_name: user.displayName,
    avatar: user.avatar,
    ...restOfUserObject(user),
  }))
}

/** The response of update reply and delete reply (section 2.3). */
export function changedReply(reply: ReplyData) {
  return { uuid: reply.uuid, reply: postObject(reply) }
}

/** The response of a toggle: its action in lower case, and the uuid of its target. */
export function toggled(action: string, uuid: unknown) {
  return { action: action.toLowerCase(), uuid: String(uuid).toLowerCase() }
}

function parentObject(uuid: string, parent: ParentData | null) {
  return {
    uuid,
    author: parent && embeddedAuthor(parent.author),
    content: parent?.content ?? null,
    created_at: parent && seconds(parent.createdAt),
    deleted: parent === null,
  }
}

/** The user object in a post, with `follower_count` where a user object has `follow_count`. */
function embeddedAuthor(user: AuthorData) {
  return {
    uuid: user.uuid,
    username: user.username,
    display_name: user.displayName,
    avatar: user.avatar,
    badge: badges(user),
    bio: user.bio,
    follower_count: user.followerCount,
    following_count: user.followingCount,
    joined: seconds(user.joinedAt),
  }
}

function restOfUserObject(user: ProfileData) {
  return {
    badge: badges(user),
    bio: user.bio,
    follow_count: user.followerCount,
    following_count: user.followingCount,
    has_followed: user.viewerIsFollowing,
    joined: seconds(user.joinedAt),
  }
}

function badges(user: AuthorData) {
  return user.badges.map(({ id, name }) => ({ id, name }))
}

/** Unix time in whole seconds. */
function seconds(time: Date | string): number {
  return Math.floor(new Date(time).getTime() / 1000)
}
