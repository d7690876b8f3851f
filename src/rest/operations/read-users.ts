import { z } from 'zod'
import { graphql } from '../graphql.ts'
import { list } from '../list.ts'
import { found, operation } from '../operation.ts'
import { postView, sampleReply } from '../schemas/posts.ts'
import { editable, ownUserView, sampleUser, sampleViewer, userView } from '../schemas/users.ts'

/** Get user without an identifier (section 4.2). */
export const getOwnUser = operation({
  route: 'GET /user',
  summary: 'Get the viewer',
  description: '`email` and `email_verified` are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetOwnUser { viewer { ...OwnUser editedAt } }', [ownUserView.fragment]),
  response: {
    schema: ownUserView.schema,
    body: ({ viewer }) => ownUserView.object(found('user', viewer)),
  },
  tagged: { resource: ({ viewer }) => viewer && editable(viewer) },
})

/** Get user (section 4.2). */
export const getUser = operation({
  route: 'GET /user/{user}',
  summary: 'Get a user',
  description: 'Only the viewer sees `email` and `email_verified`, which are null without the scope `user.email`.',
  optionalScopes: ['user.email'],
  document: graphql('query GetUser($user: UserBy!) { user(by: $user) { ...OwnUser } }', [ownUserView.fragment]),
  response: {
    description: 'The user.',
    schema: z.union([ownUserView.schema, userView.schema]),
    body: (data, viewer) => {
      const user = found('user', data.user)
      return user.uuid === viewer.id ? ownUserView.object(user) : userView.object(user)
    },
  },
  tagged: { resource: ({ user }) => user },
})

/** Get user posts (section 4.2). */
export const getUserPosts = list('UserPosts', {
  route: 'GET /user/{user}/posts/{page}',
  summary: 'Get the posts of a user',
  owner: 'user',
  ownerExample: sampleUser.uuid,
  field: 'posts',
  view: postView,
})

/** Get user replies, which the interface does not have. */
export const getUserReplies = list('UserReplies', {
  route: 'GET /user/{user}/replies/{page}',
  summary: 'Get the replies of a user',
  owner: 'user',
  ownerExample: sampleViewer.uuid,
  field: 'replies',
  view: postView,
  example: postView.object(sampleReply),
})

/** Get following (section 4.2). */
export const getFollowing = list('Following', {
  route: 'GET /user/{user}/following',
  summary: 'Get the accounts that a user follows',
  owner: 'user',
  field: 'following',
  view: userView,
})

/** Get followers (section 4.2). */
export const getFollowers = list('Followers', {
  route: 'GET /user/{user}/followers',
  summary: 'Get the followers of a user',
  owner: 'user',
  field: 'followers',
  view: userView,
})
