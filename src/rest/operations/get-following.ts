import { type ProfileData, profileFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { pageOf, user } from '../schemas/components.ts'
import { objectOf } from '../schemas/json-schema.ts'
import { sampleUser } from '../schemas/samples.ts'
import { found, userObjects } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

function toBody(users: readonly ProfileData[]) {
  return { following: userObjects(users) }
}

/** Get following (section 4.2). */
export const getFollowing = operation({
  id: 'getFollowing',
  method: 'GET',
  path: '/user/{user}/following',
  version: apiVersions.posts,
  tag: 'Users',
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
    components: [
      {
        name: 'Following',
        schema: objectOf<ReturnType<typeof toBody>>('One page of the accounts that a user follows.', {
          following: pageOf(user, 'The users, newest follow first.'),
        }),
        example: toBody([sampleUser]),
      },
    ],
    body: ({ user }) => toBody(found('user', user).following.nodes),
  },
  errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
})
