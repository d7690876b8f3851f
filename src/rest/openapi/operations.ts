import { maxFollowing } from '../../domain/follows.ts'
import type { Scope } from '../../scopes.ts'
import type { OperationId } from '../route.ts'
import type { AnswerName } from './resources.ts'

/** What there is to say of an operation beside its row of the route table. */
export type OperationNotes = {
  readonly tag: 'Posts' | 'Users' | 'Replies'
  readonly summary: string
  readonly description: string
  /** The schemas that it answers with: one of them. */
  readonly answers: readonly [AnswerName, ...AnswerName[]]
  /** What is answered, in a few words. */
  readonly answer: string
  /** Scopes that it does without, but answers more with. */
  readonly moreScopes?: readonly Scope[]
}

const eitherKind = 'It serves posts and replies alike; the first set of scopes is for posts, the second for replies.'
const repliesOnly = 'It serves replies only; a post is not found.'
const toggles = 'It is a toggle, so it is not to be sent again when the answer got lost. A body is ignored.'
const email = '`email` and `email_verified` need the scope `user.email`, and are null without it'

/** The operations of the interface, sections 4.1 to 4.3. */
export const operationNotes: Readonly<Record<OperationId, OperationNotes>> = {
  getPost: {
    tag: 'Posts',
    summary: 'Get a post',
    description: eitherKind,
    answers: ['Post'],
    answer: 'The post.',
  },
  getPostReplies: {
    tag: 'Posts',
    summary: 'Get the replies to a post',
    description: 'One page of the replies to a post or a reply, oldest first. Past the end it is empty.',
    answers: ['PostReplies'],
    answer: 'The post and the page.',
  },
  sendPost: {
    tag: 'Posts',
    summary: 'Send a post',
    description: 'With `parent` it is a reply. The first set of scopes is for posts, the second for replies.',
    answers: ['Post'],
    answer: 'The post as it was sent.',
  },
  updatePost: {
    tag: 'Posts',
    summary: 'Update a post',
    description: `By its author only. ${eitherKind}`,
    answers: ['Post'],
    answer: 'The post as it is now.',
  },
  deletePost: {
    tag: 'Posts',
    summary: 'Delete a post',
    description: `By its author only; its replies stay. ${eitherKind}`,
    answers: ['Post'],
    answer: 'The post as it was just before.',
  },
  togglePostLike: {
    tag: 'Posts',
    summary: 'Like or unlike a post',
    description: `${toggles} ${eitherKind}`,
    answers: ['LikeToggle'],
    answer: 'Which way the like was flipped.',
  },
  getOwnUser: {
    tag: 'Users',
    summary: 'Get the owner of the token',
    description: `${email}.`,
    answers: ['OwnUser'],
    answer: 'The owner of the token.',
    moreScopes: ['user.email'],
  },
  getUser: {
    tag: 'Users',
    summary: 'Get a user',
    description: `Only the owner of the token has \`email\` and \`email_verified\`. ${email}.`,
    answers: ['OwnUser', 'User'],
    answer: 'The user.',
    moreScopes: ['user.email'],
  },
  getUserPosts: {
    tag: 'Users',
    summary: 'Get the posts of a user',
    description: 'One page, newest first, without replies. Past the end it is empty.',
    answers: ['UserPosts'],
    answer: 'The page.',
  },
  toggleFollow: {
    tag: 'Users',
    summary: 'Follow or unfollow a user',
    description: `${toggles} Nobody can follow themself, or more than ${maxFollowing} accounts.`,
    answers: ['FollowToggle'],
    answer: 'Which way the follow was flipped.',
  },
  getFollowing: {
    tag: 'Users',
    summary: 'Get whom a user follows',
    description: 'One page, newest follow first. Past the end it is empty.',
    answers: ['Following'],
    answer: 'The page.',
  },
  getFollowers: {
    tag: 'Users',
    summary: 'Get who follows a user',
    description: 'One page, newest follow first. Past the end it is empty.',
    answers: ['Followers'],
    answer: 'The page.',
  },
  getReply: {
    tag: 'Replies',
    summary: 'Get a reply',
    description: repliesOnly,
    answers: ['Reply'],
    answer: 'The reply and the first page of its own replies.',
  },
  sendReply: {
    tag: 'Replies',
    summary: 'Send a reply',
    description: 'To a post or to a reply, unless another user has locked it.',
    answers: ['SentReply'],
    answer: 'The reply as it was sent.',
  },
  updateReply: {
    tag: 'Replies',
    summary: 'Update a reply',
    description: `By its author only. ${repliesOnly}`,
    answers: ['ChangedReply'],
    answer: 'The reply as it is now.',
  },
  deleteReply: {
    tag: 'Replies',
    summary: 'Delete a reply',
    description: `By its author only; its own replies stay. ${repliesOnly}`,
    answers: ['ChangedReply'],
    answer: 'The reply as it was just before.',
  },
  toggleReplyLike: {
    tag: 'Replies',
    summary: 'Like or unlike a reply',
    description: `${toggles} ${repliesOnly}`,
    answers: ['LikeMessage'],
    answer: 'Which way the like was flipped.',
  },
}
