import { z } from 'zod'
import { bioBounds } from '../../domain/accounts.ts'
import { nameBounds } from '../../domain/text.ts'
import { usernameBounds, usernameForm } from '../../domain/username.ts'
import { view } from '../view.ts'
import { count, matching, seconds, text, time, uuid } from './types.ts'

/** The owner of the token of a sample response. */
export const sampleViewer = {
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
export const sampleUser = {
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

const badgeView = view(
  'Badge',
  'Badge',
  'A badge of a user.',
  { id: '019ab2c4-7d1e-7000-8000-0000000000b1', name: 'Early bird' },
  {
    id: ['id', uuid.describe('The id of the badge.')],
    name: ['name', text({ min: 1, max: 100 }).describe('The name.')],
  },
)

/** A username. */
export const username = matching(usernameForm, usernameBounds.max, usernameBounds.min)

const person = {
  uuid: ['uuid', uuid.describe('The uuid of the user.')],
  username: ['username', username.describe('The handle, usable in paths as `@{username}`. Unique regardless of case.')],
  display_name: ['displayName', text(nameBounds).describe('The display name.')],
  avatar: [
    'avatar',
    matching(/^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{64}\?d=identicon$/, 120)
      .meta({ format: 'uri' })
      .describe('The URL of a Gravatar image, derived from the e-mail address or the uuid, depending on the server.'),
  ],
} as const

const about = {
  badge: ['badges', z.array(badgeView.schema).max(100).describe('The badges of the user.'), badgeView],
  bio: ['bio', text(bioBounds).describe('The biography of the user. May be empty.')],
} as const

const following_count = ['followingCount', count.describe('The number of accounts that the user follows.')] as const
const joined = ['joinedAt', time.describe('The creation time of the account, in Unix seconds.'), seconds] as const

const ofUser = {
  ...about,
  follow_count: [
    'followerCount',
    count.describe('The number of followers. Called `follower_count` in the author of a post.'),
  ],
  following_count,
  has_followed: ['viewerIsFollowing', z.boolean().describe('Whether the owner of the token follows this user.')],
  joined,
} as const

/** A user object (section 2.2 of the interface) of any user but the owner of the token, or in a list. */
export const userView = view(
  'User',
  'User',
  'A user other than the owner of the token, without `email` and `email_verified`.',
  sampleUser,
  { ...person, ...ofUser },
)

/** The author in a post object. */
export const authorView = view(
  'Author',
  'User',
  'The author in a post object, with `follower_count` instead of `follow_count`.',
  sampleUser,
  {
    ...person,
    ...about,
    follower_count: [
      'followerCount',
      count.describe('The number of followers. Called `follow_count` in a user object.'),
    ],
    following_count,
    joined,
  },
)

/** The user object of the owner of the token. */
export const ownUserView = view('OwnUser', 'User', 'The owner of the token.', sampleViewer, {
  ...person,
  email: [
    'email',
    matching(/^[^\s@]+@[^\s@]+$/, 254, 3)
      .nullable()
      .describe('The e-mail address (RFC 5321, RFC 6531). Null without the scope `user.email`.'),
  ],
  email_verified: [
    'emailVerified',
    z.boolean().nullable().describe('Whether the e-mail address is verified. Null without the scope `user.email`.'),
  ],
  ...ofUser,
})
