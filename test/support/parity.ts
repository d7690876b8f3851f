import { z } from 'zod'

const seconds = z.iso.datetime().transform((time) => Math.floor(Date.parse(time) / 1000))
const badges = z.array(z.strictObject({ id: z.string(), name: z.string() }))

const authorFields = {
  uuid: z.uuid(),
  username: z.string(),
  displayName: z.string(),
  avatar: z.url(),
  badges,
  bio: z.string(),
  followerCount: z.int(),
  followingCount: z.int(),
  joinedAt: seconds,
}

const author = z.strictObject(authorFields).transform((user) => ({
  uuid: user.uuid,
  username: user.username,
  display_name: user.displayName,
  avatar: user.avatar,
  badge: user.badges,
  bio: user.bio,
  follower_count: user.followerCount,
  following_count: user.followingCount,
  joined: user.joinedAt,
}))

/** Converts a user read with `userSelection` to the documented shape. Only the viewer has the e-mail keys. */
export const userFact = z
  .strictObject({
    ...authorFields,
    viewerIsFollowing: z.boolean(),
    email: z.string().nullable().optional(),
    emailVerified: z.boolean().nullable().optional(),
  })
  .transform((user) => ({
    uuid: user.uuid,
    username: user.username,
    display_name: user.displayName,
    avatar: user.avatar,
    ...(user.email === undefined ? {} : { email: user.email, email_verified: user.emailVerified }),
    badge: user.badges,
    bio: user.bio,
    follow_count: user.followerCount,
    following_count: user.followingCount,
    has_followed: user.viewerIsFollowing,
    joined: user.joinedAt,
  }))

const parent = z
  .strictObject({ author, content: z.string(), createdAt: seconds })
  .nullable()
  .transform((found) => ({
    author: found?.author ?? null,
    content: found?.content ?? null,
    created_at: found?.createdAt ?? null,
    deleted: found === null,
  }))

/** Converts a publication read with `publicationSelection` to the documented shape of a post object. */
export const publicationFact = z
  .strictObject({
    uuid: z.uuid(),
    author,
    content: z.string(),
    from: z.strictObject({ uuid: z.uuid(), name: z.string(), website: z.url().nullable() }).nullable(),
    locked: z.boolean(),
    replyCount: z.int(),
    likeCount: z.int(),
    viewerHasLiked: z.boolean(),
    createdAt: seconds,
    parentUuid: z.uuid().optional(),
    parent: parent.optional(),
  })
  .transform((publication) => ({
    uuid: publication.uuid,
    parent: publication.parentUuid === undefined ? null : { uuid: publication.parentUuid, ...publication.parent },
    author: publication.author,
    content: publication.content,
    from: publication.from,
    locked: publication.locked,
    reply_count: publication.replyCount,
    like_count: publication.likeCount,
    has_liked: publication.viewerHasLiked,
    created_at: publication.createdAt,
  }))

const authorSelection = 'uuid username displayName avatar badges { id name } bio followerCount followingCount joinedAt'

/** The selection of `userFact` for other users. */
export const userSelection = `${authorSelection} viewerIsFollowing`

/** The selection of `publicationFact` for a post. */
export const postSelection = `
  uuid author { ${authorSelection} } content from { uuid name website } locked replyCount likeCount viewerHasLiked
  createdAt`

/** The selection of `publicationFact` for a post or a reply. */
export const publicationSelection = `${postSelection}
  ... on Reply { parentUuid parent { author { ${authorSelection} } content createdAt } }`
