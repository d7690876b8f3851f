import { z } from 'zod'
import { graphql, profileFragment } from '../graphql.ts'
import { eitherKind, found, operation } from '../operation.ts'
import { samplePost } from '../schemas/posts.ts'
import { components, pageOf, uuid } from '../schemas/types.ts'
import { sampleUser, user, userObject } from '../schemas/users.ts'

/** Get post likes, which the interface does not have. */
export const getPostLikes = operation({
  route: 'GET /post/{uuid}/likes/{page}',
  summary: 'Get the users who like a post',
  description: `One page, newest like first. Pages past the end are empty. ${eitherKind}`,
  pages: { size: 20, list: ({ post }) => post?.likers },
  document: graphql(
    `query GetPostLikes($uuid: UUID!, $first: Int!, $offset: Int!) {
      post(uuid: $uuid) {
        uuid
        likers(first: $first, offset: $offset) { nodes { ...Profile } pageInfo { hasNextPage } }
      }
    }`,
    [profileFragment],
  ),
  response: {
    description: 'The page of users.',
    schema: z
      .object({
        post: uuid.describe('The uuid of the post or reply.'),
        likers: pageOf(user).describe('The users, newest like first.'),
      })
      .describe('One page of the users who like a post.')
      .register(components, {
        id: 'PostLikes',
        example: { post: samplePost.uuid, likers: [userObject(sampleUser)] },
      }),
    body: (data) => {
      const { uuid, likers } = found('post', data.post)
      return { post: uuid, likers: likers.nodes.map(userObject) }
    },
  },
})
