import { z } from 'zod'
import { graphql } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { postView, sampleReply } from '../schemas/posts.ts'
import { components, pageOf, uuid } from '../schemas/types.ts'
import { ownUserView, sampleUser, sampleViewer, userView } from '../schemas/users.ts'

/** Get user without an identifier (section 4.2). */
export const getOwnUser = operation({
  route: 'GET /user',
  summary: 'Get the owner of the token',
  description: '`email` and `email_verified` are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetOwnUser { viewer { ...OwnUser } }', [ownUserView.fragment]),
  response: {
    description: 'The owner of the token.',
    schema: ownUserView.schema,
    body: ({ viewer }) => ownUserView.object(found('user', viewer)),
  },
  tagged: { resource: ({ viewer }) => viewer },
})

/** Get user (section 4.2). */
export const getUser = operation({
  route: 'GET /user/{user}',
  summary: 'Get a user',
  description:
    'Only the owner of the token sees `email` and `email_verified`, which are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetUser($user: UserBy!) { user(by: $user) { ...OwnUser } }', [ownUserView.fragment]),
  response: {
    description: 'The user.',
    schema: z.union([ownUserView.schema, userView.schema]),
    body: (data, { viewerId }) => {
      const user = found('user', data.user)
      return user.uuid === viewerId ? ownUserView.object(user) : userView.object(user)
    },
  },
  tagged: { resource: ({ user }) => user },
})

/** Get user posts (section 4.2). */
export const getUserPosts = operation({
  route: 'GET /user/{user}/posts/{page}',
  summary: 'Get the posts of a user',
  description: 'One page, newest first, without replies. Pages past the end are empty.',
  list: { by: 'number', of: ({ user }) => user?.posts },
  document: graphql(
    `query GetUserPosts($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        uuid
        username
        posts(first: $first, offset: $offset) { nodes { ...Post } pageInfo { hasNextPage } }
      }
    }`,
    [postView.fragment],
  ),
  response: {
    description: 'The page of posts.',
    schema: z
      .object({
        user: uuid.describe('The uuid of the user.'),
        posts: pageOf(postView.schema).describe('The posts, newest first, without replies.'),
      })
      .describe("One page of a user's posts.")
      .register(components, { id: 'UserPosts', example: { user: sampleUser.uuid, posts: [postView.example] } }),
    body: (data) => {
      const { uuid, posts } = found('user', data.user)
      return { user: uuid, posts: posts.nodes.map(postView.object) }
    },
  },
})

/** Get user replies, which the interface does not have. */
export const getUserReplies = operation({
  route: 'GET /user/{user}/replies/{page}',
  summary: 'Get the replies of a user',
  description: 'One page of the replies that a user sent, newest first. Pages past the end are empty.',
  list: { by: 'number', of: ({ user }) => user?.replies },
  document: graphql(
    `query GetUserReplies($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        uuid
        username
        replies(first: $first, offset: $offset) { nodes { ...Post } pageInfo { hasNextPage } }
      }
    }`,
    [postView.fragment],
  ),
  response: {
    description: 'The page of replies.',
    schema: z
      .object({
        user: uuid.describe('The uuid of the user.'),
        replies: pageOf(postView.schema).describe('The replies, newest first.'),
      })
      .describe("One page of a user's replies.")
      .register(components, {
        id: 'UserReplies',
        example: { user: sampleViewer.uuid, replies: [postView.object(sampleReply)] },
      }),
    body: (data) => {
      const { uuid, replies } = found('user', data.user)
      return { user: uuid, replies: replies.nodes.map(postView.object) }
    },
  },
})
