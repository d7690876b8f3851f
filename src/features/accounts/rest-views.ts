import type { ListOwner } from '../../engine/rest/list.ts'
import { seconds, view } from '../../engine/rest/view.ts'
import { maxLanguages } from '../base/bounds.ts'

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
  isPrivate: false,
  viewerHasRequested: false,
  hasRequestedViewer: false,
  followsViewer: false,
  viewerIsBlocking: false,
  isBlockingViewer: false,
  viewerIsMuting: false,
  editedAt: '2026-02-03T09:15:00.000Z',
  version: '21',
  language: 'en',
  readingLanguages: ['en', 'nl'],
  isApproved: true,
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
  isPrivate: false,
  viewerHasRequested: false,
  hasRequestedViewer: false,
  followsViewer: true,
  viewerIsBlocking: false,
  isBlockingViewer: false,
  viewerIsMuting: false,
  editedAt: null,
  version: '8',
  language: 'nl',
  readingLanguages: null,
  isApproved: null,
}

const badgeView = view(
  'Badge',
  'Badge',
  'A badge of a user.',
  { id: '019ab2c4-7d1e-7000-8000-0000000000b1', name: 'Early bird' },
  { id: 'id', name: 'name' },
)

const person = { uuid: 'uuid', username: 'username', display_name: 'displayName', avatar: 'avatar' } as const
const about = { badge: ['badges', badgeView, { maxItems: 100 }], bio: 'bio' } as const
const joined = ['joinedAt', seconds] as const

const ofUser = {
  ...about,
  follow_count: 'followerCount',
  following_count: 'followingCount',
  has_followed: 'viewerIsFollowing',
  joined,
} as const

/** What only the full view of a user has. */
const fullUser = {
  is_private: 'isPrivate',
  has_requested: 'viewerHasRequested',
  has_requested_viewer: 'hasRequestedViewer',
  follows_viewer: 'followsViewer',
  has_blocked: 'viewerIsBlocking',
  blocks_viewer: 'isBlockingViewer',
  has_muted: 'viewerIsMuting',
  edited_at: ['editedAt', seconds],
  version: 'version',
  language: 'language',
  reading_languages: ['readingLanguages', undefined, { maxItems: maxLanguages }],
  is_approved: 'isApproved',
} as const

/** A user object (section 2.2 of the interface) of any user but the viewer, or in a list. */
export const userView = view(
  'User',
  'User',
  'A user other than the viewer, without `email` and `email_verified`.',
  sampleUser,
  { ...person, ...ofUser },
  fullUser,
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
    follower_count: 'followerCount',
    following_count: 'followingCount',
    joined,
  },
  { has_followed: 'viewerIsFollowing', ...fullUser },
)

/** The user object of the viewer. */
export const ownUserView = view(
  'OwnUser',
  'User',
  'The viewer.',
  sampleViewer,
  { ...person, email: 'email', email_verified: 'emailVerified', ...ofUser },
  fullUser,
)

/** An account that a text mentions. */
export const mentionedUserView = view('MentionedUser', 'User', 'An account that a text mentions.', sampleUser, {
  uuid: 'uuid',
  username: 'username',
})

/** An application of the viewer's. */
export const sampleApplication = {
  uuid: '019ab2c4-7d1e-7000-8000-0000000000a1',
  name: 'Loom',
  website: 'https://loom.example/',
}

/** An application, as everybody sees it. */
export const applicationView = view(
  'Application',
  'Application',
  'An application that tokens are issued to.',
  sampleApplication,
  { uuid: 'uuid', name: 'name', website: 'website' },
)

/** Names of scopes as REST has them. */
export const scopesInRest = (names: readonly string[]) => names.map((name) => name.toLowerCase().replaceAll('_', '.'))

/** The viewer with the times that the preconditions of writes compare. */
export const editable = <User extends { readonly joinedAt: Date | string }>(user: User) => ({
  ...user,
  createdAt: user.joinedAt,
})

/** An account to which a list belongs. */
export const userOwner: ListOwner = {
  type: 'User',
  field: 'user(by: $user)',
  variables: '$user: UserBy!',
  key: 'uuid',
  property: 'user',
  description: 'The uuid of the user.',
}
