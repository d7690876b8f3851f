import { type PublicationData, publicationFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { pageOf, post } from '../schemas/components.ts'
import { objectOf, uuid } from '../schemas/json-schema.ts'
import { samplePost, sampleUser } from '../schemas/samples.ts'
import { found, postObjects } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

function toBody(user: string, posts: readonly PublicationData[]) {
  return { user, posts: postObjects(posts) }
}

/** Get user posts (section 4.2). */
export const getUserPosts = operation({
  id: 'getUserPosts',
  method: 'GET',
  path: '/user/{user}/posts/{page}',
  version: apiVersions.posts,
  tag: 'Users',
  summary: 'Get the posts of a user',
  description: 'One page, newest first, without replies. Pages past the end are empty.',
  pages: { size: 20, list: ({ user }) => user?.posts },
  document: graphql(
    `query GetUserPosts($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        uuid
        posts(first: $first, offset: $offset) { nodes { ...Publication } pageInfo { hasNextPage } }
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The page of posts.',
    components: [
      {
        name: 'UserPosts',
        schema: objectOf<ReturnType<typeof toBody>>("One page of a user's posts.", {
          user: uuid('The uuid of the user.'),
          posts: pageOf(post, 'The posts, newest first, without replies.'),
        }),
        example: toBody(sampleUser.uuid, [samplePost]),
      },
    ],
    body: (data) => {
      const { uuid, posts } = found('user', data.user)
      return toBody(uuid, posts.nodes)
    },
  },
  errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
})
