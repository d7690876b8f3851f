import type { OwnProfileData, PublicationData, ReplyData } from '../documents.ts'
import { changedReply, postObject, replyObject, sentReply, toggled, userObject, userObjects } from '../shapes.ts'
import type { AnswerName } from './resources.ts'

const gravatar = (hash: string) => `https://www.gravatar.com/avatar/${hash}?d=identicon`

const wren: OwnProfileData = {
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
const rook: OwnProfileData = {
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
const postData: PublicationData = {
  uuid: '019ab2c4-9f30-7e5c-8b22-7d3e4f506172',
  author: rook,
  content: 'Nest for rent, sea view.',
  from: { uuid: '019ab2c4-7d1e-7000-8000-0000000000a1', name: 'Loom', website: 'https://loom.example/' },
  locked: false,
  replyCount: 1,
  likeCount: 2,
  viewerHasLiked: true,
  createdAt: '2026-07-26T12:34:56.000Z',
}
const replyData: ReplyData = {
  uuid: '019ab2c4-a041-7f6d-8c33-8e4f50617283',
  author: wren,
  content: 'How far is the sea?',
  from: null,
  locked: false,
  replyCount: 0,
  likeCount: 0,
  viewerHasLiked: false,
  createdAt: '2026-07-26T12:40:00.000Z',
  parentUuid: postData.uuid,
  parent: postData,
}

/** Values of fields of a body. */
export const bodyExamples: Readonly<Record<string, unknown>> = {
  content: replyData.content,
  locked: false,
  lock: false,
  parent: postData.uuid,
}

const post = postObject(postData)
const reply = postObject(replyData)
const found = { ...replyData, replies: { nodes: [] } }

/** An example of each answer, made as the answers themselves are. */
export const answerExamples: Readonly<Record<AnswerName, unknown>> = {
  Post: post,
  PostReplies: { post, replies: [reply] },
  LikeToggle: toggled('LIKED', postData.uuid),
  OwnUser: userObject(wren, wren.uuid),
  User: userObject(rook, wren.uuid),
  UserPosts: { user: rook.uuid, posts: [post] },
  FollowToggle: toggled('FOLLOWED', rook.uuid),
  Following: { following: userObjects([rook]) },
  Followers: { followers: userObjects([rook]) },
  Reply: replyObject({ ...found, author: { uuid: wren.uuid } }),
  SentReply: sentReply(replyData),
  ChangedReply: changedReply(replyData),
  LikeMessage: { _message: 'liked' },
}
