import { graphql, publicationFragment } from '../graphql.ts'
import { operation } from '../operation.ts'
import { from, locked, newContent, newObject, newUuid, sentParent } from '../schemas/bodies.ts'
import { post, postObject, sampleReply } from '../schemas/posts.ts'
import { components } from '../schemas/types.ts'

/** Send post (section 4.1). */
export const sendPost = operation({
  route: 'POST /post',
  summary: 'Send a post',
  description: 'With `parent`, sends a reply. The first set of scopes is for posts, the second for replies.',
  body: newObject({ content: newContent, ...locked, parent: sentParent.nullish(), from, uuid: newUuid }).register(
    components,
    { id: 'SendPostBody', example: { content: sampleReply.content, locked: false } },
  ),
  document: graphql(
    `mutation SendPost($content: String!, $locked: Boolean, $parent: UUID, $from: UUID, $uuid: UUID) {
      sendPost(input: { content: $content, locked: $locked, parent: $parent, from: $from, uuid: $uuid }) {
        publication { ...Publication }
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The new post, or the existing one if it was sent before under the same `uuid`.',
    schema: post,
    body: ({ sendPost }) => postObject(sendPost.publication),
  },
  errors: ['FORBIDDEN', 'POST_LOCKED', 'NOT_FOUND', 'CONFLICT'],
})
