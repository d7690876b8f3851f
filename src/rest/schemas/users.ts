import { z } from 'zod'
import { bioBounds } from '../../domain/accounts.ts'
import { nameBounds } from '../../domain/text.ts'
import type { AuthorData, ProfileData, ProfileWithEmailData } from '../graphql.ts'
import { components, count, matching, seconds, text, time, uuid } from './types.ts'

const badge = z
  .object({ id: uuid.describe('The id of the badge.'), name: text({ min: 1, max: 100 }).describe('The name.') })
  .describe('A badge of a user.')
  .register(components, { id: 'Badge' })

/** A user object (section 2.2 of the interface) of any user but the owner of the token, or in a list. */
export const user = z
  .object({
    uuid: uuid.describe('The uuid of the user.'),
    username: matching(/^[A-Za-z0-9_]{1,30}$/, 30, 1).describe(
      'The handle, usable in paths as `@{username}`. Unique regardless of case.',
    ),
    display_name: text(nameBounds).describe('The display name.'),
    avatar: matching(/^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{64}\?d=identicon$/, 120)
      .meta({ format: 'uri' })
      .describe('The URL of a Gravatar image, derived from the e-mail address or the uuid, depending on the server.'),
    badge: z.array(badge).max(100).describe('The badges of the user.'),
    bio: text(bioBounds).describe('The biography of the user. May be empty.'),
    follow_count: count.describe('The number of followers. Called `follower_count` in the author of a post.'),
    following_count: count.describe('The number of accounts that the user follows.'),
    has_followed: z.boolean().describe('Whether the owner of the token follows this user.'),
    joined: time.describe('The creation time of the account, in Unix seconds.'),
  })
  .describe('A user other than the owner of the token, without `email` and `email_verified`.')

/** The author in a post object. */
export const author = user
  .omit({ follow_count: true, has_followed: true })
  .extend({ follower_count: count.describe('The number of followers. Called `follow_count` in a user object.') })
  .describe('The author in a post object, with `follower_count` instead of `follow_count`.')
  .register(components, { id: 'Author' })

/** The user object of the owner of the token. */
export const ownUser = user
  .extend({
    email: matching(/^[\x21-\x7e]+@[A-Za-z0-9.-]+$/, 254, 3)
      .nullable()
      .describe('The e-mail address, in the format of the HTML Standard. Null without the scope `user.email`.'),
    email_verified: z
      .boolean()
      .nullable()
      .describe('Whether the e-mail address is verified. Null without the scope `user.email`.'),
  })
  .describe('The owner of the token.')

/** Makes the author in a post object. */
export function authorObject(data: AuthorData): z.infer<typeof author> {
  return {
    ...personOf(data),
    badge: data.badges,
    bio: data.bio,
    follower_count: data.followerCount,
    following_count: data.followingCount,
    joined: seconds(data.joinedAt),
  }
}

/** Makes a user object without the two e-mail fields. */
export function userObject(data: ProfileData): z.infer<typeof user> {
  return { ...personOf(data), ...restOf(data) }
}

/** Makes the user object of the owner of the token. Its two e-mail fields are null without the scope `user.email`. */
export function ownUserObject(data: ProfileWithEmailData): z.infer<typeof ownUser> {
  return { ...personOf(data), email: data.email, email_verified: data.emailVerified, ...restOf(data) }
}

function personOf({ uuid, username, displayName, avatar }: AuthorData) {
  return { uuid, username, display_name: displayName, avatar }
}

function restOf(data: ProfileData) {
  return {
    badge: data.badges,
    bio: data.bio,
    follow_count: data.followerCount,
    following_count: data.followingCount,
    has_followed: data.viewerIsFollowing,
    joined: seconds(data.joinedAt),
  }
}

/** The owner of the token of a sample response. */
export const sampleViewer: ProfileWithEmailData = {
  uuid: '019ab2c4-7d1e-7c3a-9f00-5b1c2d3e4f50',
  username: 'ada',
  displayName: 'Ada',
  avatar:
    'https://www.gravatar.com/avatar/0a4d55a8d778e5022fab701977c5d840bbc486d0e9a24d9f6a3b6a5c5b5e4a11?d=identicon',
  badges: [{ id: '019ab2c4-7d1e-7000-8000-0000000000b1', name: 'Early bird' }],
  bio: 'Small, brown and loud.',
  followerCount: 12,
  followingCount: 7,
  joinedAt: '2026-01-31T12:00:00.000Z',
  viewerIsFollowing: false,
  email: 'ada@example.org',
  emailVerified: false,
}

/** A user whom that owner follows. */
export const sampleUser: ProfileData = {
  uuid: '019ab2c4-8e2f-7d4b-8a11-6c2d3e4f5061',
  username: 'henk',
  displayName: 'Henk',
  avatar:
    'https://www.gravatar.com/avatar/1b5e66b9e889f6133abc812088d6e951ccd597e1f0b35ea07b4c7b6d6c6f5b22?d=identicon',
  badges: [],
  bio: '',
  followerCount: 3,
  followingCount: 4,
  joinedAt: '2026-02-01T08:30:00.000Z',
  viewerIsFollowing: true,
}

components.add(user, { id: 'User', example: userObject(sampleUser) })
components.add(ownUser, { id: 'OwnUser', example: ownUserObject(sampleViewer) })
