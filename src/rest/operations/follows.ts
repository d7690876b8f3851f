import { z } from 'zod'
import { maxFollowing } from '../../domain/edges.ts'
import { graphql } from '../graphql.ts'
import { found, operation, toggles } from '../operation.ts'
import { components, pageOf, uuid } from '../schemas/types.ts'
import { sampleUser, userView } from '../schemas/users.ts'

const followAction = z.enum({ FOLLOWED: 'followed', UNFOLLOWED: 'unfollowed' })

/** Follow/unfollow (section 4.2). */
export const toggleFollow = operation({
  route: 'POST /user/{user}/follow',
  summary: 'Follow or unfollow a user',
  description: `${toggles} Users cannot follow themselves, or more than ${maxFollowing} accounts.`,
  findsUser: true,
  document: graphql('mutation ToggleFollow($uuid: UUID!) { toggleFollow(input: { uuid: $uuid }) { action } }'),
  response: {
    description: 'Whether the user was followed or unfollowed.',
    schema: z
      .object({
        action: followAction.describe('The action that was taken.'),
        uuid: uuid.describe('The uuid of the user.'),
      })
      .describe('The result of following or unfollowing a user.')
      .register(components, { id: 'FollowToggle', example: { action: 'followed', uuid: sampleUser.uuid } }),
    body: ({ toggleFollow }, _session, { uuid }) => ({
      action: followAction.enum[toggleFollow.action],
      uuid: String(uuid).toLowerCase(),
    }),
  },
  errors: ['CONFLICT', 'VALIDATION_FAILED'],
})

/** Get following (section 4.2). */
export const getFollowing = operation({
  route: 'GET /user/{user}/following',
  summary: 'Get the accounts that a user follows',
  description: 'One page, newest follow first. Pages past the end are empty.',
  pages: { size: 20, list: ({ user }) => user?.following },
  document: graphql(
    `query GetFollowing($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        following(first: $first, offset: $offset) { nodes { ...User } pageInfo { hasNextPage } }
      }
    }`,
    [userView.fragment],
  ),
  response: {
    description: 'The page of users.',
    schema: z
      .object({ following: pageOf(userView.schema).describe('The users, newest follow first.') })
      .describe('One page of the accounts that a user follows.')
      .register(components, { id: 'Following', example: { following: [userView.example] } }),
    body: ({ user }) => ({ following: found('user', user).following.nodes.map(userView.object) }),
  },
})

/** Get followers (section 4.2). */
export const getFollowers = operation({
  route: 'GET /user/{user}/followers',
  summary: 'Get the followers of a user',
  description: 'One page, newest follow first. Pages past the end are empty.',
  pages: { size: 20, list: ({ user }) => user?.followers },
  document: graphql(
    `query GetFollowers($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        followers(first: $first, offset: $offset) { nodes { ...User } pageInfo { hasNextPage } }
      }
    }`,
    [userView.fragment],
  ),
  response: {
    description: 'The page of users.',
    schema: z
      .object({ followers: pageOf(userView.schema).describe('The users, newest follow first.') })
      .describe('One page of the accounts that follow a user.')
      .register(components, { id: 'Followers', example: { followers: [userView.example] } }),
    body: ({ user }) => ({ followers: found('user', user).followers.nodes.map(userView.object) }),
  },
})
