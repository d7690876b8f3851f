import { z } from 'zod'
import { graphql, publicationFragment } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { post, postObject, samplePost } from '../schemas/posts.ts'
import { components, pageOf, uuid } from '../schemas/types.ts'
import { sampleUser } from '../schemas/users.ts'

/** Get user posts (section 4.2). */
export const getUserPosts = operation({
  route: 'GET /user/{user}/posts/{page}',
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
    schema: z
      .object({
        user: uuid.describe('The uuid of the user.'),
        posts: pageOf(post).describe('The posts, newest first, without replies.'),
      })
      .describe("One page of a user's posts.")
      .register(components, { id: 'UserPosts', example: { user: sampleUser.uuid, posts: [postObject(samplePost)] } }),
    body: (data) => {
      const { uuid, posts } = found('user', data.user)
      return { user: uuid, posts: posts.nodes.map(postObject) }
    },
  },
})
