import { z } from 'zod'
import { graphql, profileFragment } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { components, pageOf } from '../schemas/types.ts'
import { sampleUser, user, userObject } from '../schemas/users.ts'

/** Get following (section 4.2). */
export const getFollowing = operation({
  route: 'GET /user/{user}/following',
  summary: 'Get the accounts that a user follows',
  description: 'One page, newest follow first. Pages past the end are empty.',
  pages: { size: 20, list: ({ user }) => user?.following },
  document: graphql(
    `query GetFollowing($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        following(first: $first, offset: $offset) { nodes { ...Profile } pageInfo { hasNextPage } }
      }
    }`,
    [profileFragment],
  ),
  response: {
    description: 'The page of users.',
    schema: z
      .object({ following: pageOf(user).describe('The users, newest follow first.') })
      .describe('One page of the accounts that a user follows.')
      .register(components, { id: 'Following', example: { following: [userObject(sampleUser)] } }),
    body: ({ user }) => ({ following: found('user', user).following.nodes.map(userObject) }),
  },
})
