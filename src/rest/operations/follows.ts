import { z } from 'zod'
import { follows } from '../../domain/edges.ts'
import { graphql } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { components, pageOf } from '../schemas/types.ts'
import { userView } from '../schemas/users.ts'
import { toggle } from '../toggle.ts'

/** Follow/unfollow (section 4.2). */
export const toggleFollow = toggle(
  follows,
  graphql('mutation ToggleFollow($uuid: UUID!) { toggled: toggleFollow(input: { uuid: $uuid }) { action } }'),
)

/** Get following (section 4.2). */
export const getFollowing = operation({
  route: 'GET /user/{user}/following',
  summary: 'Get the accounts that a user follows',
  description: 'One page, newest follow first. Pages past the end are empty.',
  list: { by: 'number', of: ({ user }) => user?.following },
  document: graphql(
    `query GetFollowing($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        username
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
  list: { by: 'number', of: ({ user }) => user?.followers },
  document: graphql(
    `query GetFollowers($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        username
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
