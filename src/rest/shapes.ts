import { notFound } from '../errors.ts'
import type {
  AuthorData,
  getReply,
  OwnProfileData,
  ParentData,
  ProfileData,
  PublicationData,
  ReplyData,
  Time,
} from './documents.ts'

type FoundReply = NonNullable<NonNullable<(typeof getReply)['data']>['reply']>

/**
 * What a look-up found.
 *
 * @throws the refusal `NOT_FOUND` when that is nothing
 */
export function found<Value>(what: string, value: Value | null): Value {
  if (value === null) throw notFound(what)
  return value
}

/** A post object (section 2.1 of the interface), of a post or of a reply. */
export function postObject(publication: PublicationData) {
  return {
    uuid: publication.uuid,
    parent:
      publication.parentUuid === undefined ? null : parentObject(publication.parentUuid, publication.parent ?? null),
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

/**
 * A user object (section 2.2). The two e-mail keys are there in the viewer's own alone, null without the scope
 * `user.email`.
 */
export function userObject(user: OwnProfileData, viewerId: string) {
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

/** The user objects of a list: without the two e-mail keys. */
export function userObjects(users: readonly ProfileData[]) {
  return users.map((user) => ({
    uuid: user.uuid,
    username: user.username,
    display_name: user.displayName,
    avatar: user.avatar,
    ...restOfUserObject(user),
  }))
}

/** What get reply answers (section 2.3): everything around the reply is a bare uuid. */
export function replyObject(reply: FoundReply) {
  return {
    uuid: reply.uuid,
    parent: reply.parentUuid,
    author: reply.author.uuid,
    content: reply.content,
    from: reply.from?.uuid ?? null,
    lock: reply.locked,
    replies: postObjects(reply.replies.nodes),
  }
}

/** What send reply answers (section 2.3). */
export function sentReply(reply: ReplyData) {
  return { uuid: reply.uuid, parent: reply.parentUuid, reply: postObject(reply) }
}

/** What update reply and delete reply answer (section 2.3). */
export function changedReply(reply: ReplyData) {
  return { uuid: reply.uuid, reply: postObject(reply) }
}

/** What a toggle answers: which way it went, in lower case, and the uuid of what it was done to. */
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

/** The user object inside a post: its counter is `follower_count`, where a user object has `follow_count`. */
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
function seconds(time: Time): number {
  return Math.floor(new Date(time).getTime() / 1000)
}
