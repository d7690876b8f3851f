import { z } from 'zod'
import { Refusal } from '../../errors.ts'
import { graphql, publicationFragment } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { post, postObject, samplePost } from '../schemas/posts.ts'
import { components, pageOf, uuid } from '../schemas/types.ts'
import { sampleViewer } from '../schemas/users.ts'

/** Get user likes, which the interface does not have. */
export const getUserLikes = operation({
  route: 'GET /user/{user}/likes/{page}',
  summary: 'Get what the owner of the token likes',
  description:
    'One page of posts and replies, newest like first. Pages past the end are empty. The likes of another user are refused with 403.',
  pages: { size: 20, list: ({ user }) => user?.likes ?? undefined },
  document: graphql(
    `query GetUserLikes($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        uuid
        likes(first: $first, offset: $offset) { nodes { ...Publication } pageInfo { hasNextPage } }
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The page of posts and replies.',
    schema: z
      .object({
        user: uuid.describe('The uuid of the user.'),
        likes: pageOf(post).describe('The posts and replies, newest like first.'),
      })
      .describe('One page of what a user likes.')
      .register(components, {
        id: 'UserLikes',
        example: { user: sampleViewer.uuid, likes: [postObject(samplePost)] },
      }),
    body: (data) => {
      const { uuid, likes } = found('user', data.user)
      if (likes === null) throw new Refusal('FORBIDDEN', "A user's likes are visible to that user only.")
      return { user: uuid, likes: likes.nodes.map(postObject) }
    },
  },
  errors: ['FORBIDDEN'],
})
