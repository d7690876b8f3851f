import type { PublicationData } from '../fragments.ts'
import { publicationFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { pageOf, post, refTo } from '../schemas/components.ts'
import { objectOf } from '../schemas/json-schema.ts'
import { samplePost, sampleReply } from '../schemas/samples.ts'
import { found, postObject, postObjects } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

function toBody(publication: PublicationData, replies: readonly PublicationData[]) {
  return { post: postObject(publication), replies: postObjects(replies) }
}

/** Get post replies (section 4.1). */
export const getPostReplies = operation({
  id: 'getPostReplies',
  method: 'GET',
  path: '/post/{uuid}/replies/{page}',
  version: apiVersions.posts,
  tag: 'Posts',
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
    components: [
      {
        name: 'PostReplies',
        schema: objectOf<ReturnType<typeof toBody>>('A post and one page of its replies.', {
          post: refTo(post),
          replies: pageOf(post, 'The replies, oldest first.'),
        }),
        example: toBody(samplePost, [sampleReply]),
      },
    ],
    body: (data) => {
      const post = found('post', data.post)
      return toBody(post, post.replies.nodes)
    },
  },
  errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
})
