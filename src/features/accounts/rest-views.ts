import { z } from 'zod'
import type { ListOwner } from '../../engine/rest/list.ts'
import { count, matching, seconds, text, time, uuid } from '../../engine/rest/types.ts'
import { view } from '../../engine/rest/view.ts'
import { bioBounds, nameBounds } from '../base/bounds.ts'
import { usernameBounds, usernameForm } from '../base/username.ts'

/** The viewer of a sample response. */
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
  { id: ['id', uuid], name: ['name', text({ min: 1, max: 100 })] },
)

/** A username. */
export const username = matching(usernameForm, usernameBounds.max, usernameBounds.min)

const person = {
  uuid: ['uuid', uuid],
  username: ['username', username],
  display_name: ['displayName', text(nameBounds)],
  avatar: [
    'avatar',
    matching(/^https:\/\/www\.gravatar\.com\/avatar\/[0-9a-f]{64}\?d=identicon$/, 120).meta({ format: 'uri' }),
  ],
} as const

const about = {
  badge: ['badges', z.array(badgeView.schema).max(100), badgeView],
  bio: ['bio', text(bioBounds)],
} as const

const following_count = ['followingCount', count] as const
const joined = ['joinedAt', time, seconds] as const

const ofUser = {
  ...about,
  follow_count: ['followerCount', count],
  following_count,
  has_followed: ['viewerIsFollowing', z.boolean()],
  joined,
} as const

/** A user object (section 2.2 of the interface) of any user but the viewer, or in a list. */
export const userView = view(
  'User',
  'User',
  'A user other than the viewer, without `email` and `email_verified`.',
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
    follower_count: ['followerCount', count],
    following_count,
    joined,
  },
)

/** The user object of the viewer. */
export const ownUserView = view('OwnUser', 'User', 'The viewer.', sampleViewer, {
  ...person,
  email: ['email', matching(/^[^\s@]+@[^\s@]+$/, 254, 3).nullable()],
  email_verified: ['emailVerified', z.boolean().nullable()],
  ...ofUser,
})

/** The viewer with the times that the preconditions of writes compare. */
export const editable = <User extends { readonly joinedAt: Date | string }>(user: User) => ({
  ...user,
  createdAt: user.joinedAt,
})

/** An account to which a list belongs. */
export const userOwner: ListOwner = {
  name: 'user',
  type: 'User',
  field: 'user(by: $user)',
  variables: '$user: UserBy!',
  key: 'uuid',
  property: 'user',
  schema: uuid.describe('The uuid of the user.'),
}
