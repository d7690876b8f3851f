import { type ProfileData, profileFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { pageOf, user } from '../schemas/components.ts'
import { objectOf } from '../schemas/json-schema.ts'
import { sampleUser } from '../schemas/samples.ts'
import { found, userObjects } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

function toBody(users: readonly ProfileData[]) {
  return { followers: userObjects(users) }
}

/** Get followers (section 4.2). */
export const getFollowers = operation({
  id: 'getFollowers',
  method: 'GET',
  path: '/user/{user}/followers',
  version: apiVersions.posts,
  tag: 'Users',
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
    components: [
      {
        name: 'Followers',
        schema: objectOf<ReturnType<typeof toBody>>('One page of the accounts that follow a user.', {
          followers: pageOf(user, 'The users, newest follow first.'),
        }),
        example: toBody([sampleUser]),
      },
    ],
    body: ({ user }) => toBody(found('user', user).followers.nodes),
  },
  errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
})
