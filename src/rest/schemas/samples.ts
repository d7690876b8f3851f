import type { ProfileWithEmailData, PublicationData, ReplyData } from '../fragments.ts'

const gravatar = (hash: string) => `https://www.gravatar.com/avatar/${hash}?d=identicon`

/** The owner of the token. */
export const sampleViewer: ProfileWithEmailData = {
  uuid: '019ab2c4-7d1e-7c3a-9f00-5b1c2d3e4f50',
  username: 'wren',
  displayName: 'Wren',
  avatar: gravatar('0a4d55a8d778e5022fab701977c5d840bbc486d0e9a24d9f6a3b6a5c5b5e4a11'),
  badges: [{ id: '019ab2c4-7d1e-7000-8000-0000000000b1', name: 'Early bird' }],
  bio: 'Small, brown and loud.',
  followerCount: 12,
  followingCount: 7,
  joinedAt: '2026-01-31T12:00:00.000Z',
  viewerIsFollowing: false,
  email: 'wren@example.org',
  emailVerified: false,
}
/** A user whom the owner of the token follows. */
export const sampleUser: ProfileWithEmailData = {
  uuid: '019ab2c4-8e2f-7d4b-8a11-6c2d3e4f5061',
  username: 'rook',
  displayName: 'Rook',
  avatar: gravatar('1b5e66b9e889f6133abc812088d6e951ccd597e1f0b35ea07b4c7b6d6c6f5b22'),
  badges: [],
  bio: '',
  followerCount: 3,
  followingCount: 4,
  joinedAt: '2026-02-01T08:30:00.000Z',
  viewerIsFollowing: true,
  email: null,
  emailVerified: null,
}
/** A post of the sample user's. */
export const samplePost: PublicationData = {
  uuid: '019ab2c4-9f30-7e5c-8b22-7d3e4f506172',
  author: sampleUser,
  content: 'Nest for rent, sea view.',
  from: { uuid: '019ab2c4-7d1e-7000-8000-0000000000a1', name: 'Loom', website: 'https://loom.example/' },
  locked: false,
  replyCount: 1,
  likeCount: 2,
  viewerHasLiked: true,
  createdAt: '2026-07-26T12:34:56.000Z',
}
/** A reply of the owner of the token to the sample post. */
export const sampleReply: ReplyData = {
  uuid: '019ab2c4-a041-7f6d-8c33-8e4f50617283',
  author: sampleViewer,
  content: 'How far is the sea?',
  from: null,
  locked: false,
  replyCount: 0,
  likeCount: 0,
  viewerHasLiked: false,
  createdAt: '2026-07-26T12:40:00.000Z',
  parentUuid: samplePost.uuid,
  parent: samplePost,
}
