import { z } from 'zod'
import { graphql, profileFragment } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { components, pageOf } from '../schemas/types.ts'
import { sampleUser, user, userObject } from '../schemas/users.ts'

/** Get followers (section 4.2). */
export const getFollowers = operation({
  route: 'GET /user/{user}/followers',
  summary: 'Get the followers of a user',
  description: 'One page, newest follow first. Pages past the end are empty.',
  pages: { size: 20, list: ({ user }) => user?.followers },
  document: graphql(
    `query GetFollowers($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        followers(first: $first, offset: $offset) { nodes { ...Profile } pageInfo { hasNextPage } }
      }
    }`,
    [profileFragment],
  ),
  response: {
    description: 'The page of users.',
    schema: z
      .object({ followers: pageOf(user).describe('The users, newest follow first.') })
      .describe('One page of the accounts that follow a user.')
      .register(components, { id: 'Followers', example: { followers: [userObject(sampleUser)] } }),
    body: ({ user }) => ({ followers: found('user', user).followers.nodes.map(userObject) }),
  },
})
