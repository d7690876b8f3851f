import { z } from 'zod'
import { graphql, publicationFragment } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { post, postObject, samplePost, sampleReply } from '../schemas/posts.ts'
import { components, pageOf } from '../schemas/types.ts'

/** Get post replies (section 4.1). */
export const getPostReplies = operation({
  route: 'GET /post/{uuid}/replies/{page}',
  summary: 'Get the replies to a post',
  description: 'One page of the replies to a post or a reply, oldest first. Pages past the end are empty.',
  scopes: [['post.get', 'reply.get']],
  pages: { size: 5, list: ({ post }) => post?.replies },
  document: graphql(
    `query GetPostReplies($uuid: UUID!, $first: Int!, $offset: Int!) {
      post(uuid: $uuid) {
        ...Publication
        replies(first: $first, offset: $offset) { nodes { ...Publication } pageInfo { hasNextPage } }
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The post and the page of replies.',
    schema: z
      .object({ post, replies: pageOf(post).describe('The replies, oldest first.') })
      .describe('A post and one page of its replies.')
      .register(components, {
        id: 'PostReplies',
        example: { post: postObject(samplePost), replies: [postObject(sampleReply)] },
      }),
    body: (data) => {
      const post = found('post', data.post)
      return { post: postObject(post), replies: post.replies.nodes.map(postObject) }
    },
  },
})
