import { z } from 'zod'
import { graphql, publicationFragment } from '../graphql.ts'
import { operation } from '../operation.ts'
import { from, lock, locked, newContent, newObject, newUuid, sentParent } from '../schemas/bodies.ts'
import { post, postObject, samplePost, sampleReply } from '../schemas/posts.ts'
import { components, uuid } from '../schemas/types.ts'

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

/** Send reply (section 4.3). */
export const sendReply = operation({
  route: 'POST /reply',
  summary: 'Send a reply',
  description: 'Replies to a post or to a reply, unless another user has locked it.',
  body: newObject({ content: newContent, ...lock, from, parent: sentParent, uuid: newUuid }).register(components, {
    id: 'SendReplyBody',
    example: { content: sampleReply.content, lock: false, parent: samplePost.uuid },
  }),
  document: graphql(
    `mutation SendReply($parent: UUID!, $content: String!, $lock: Boolean, $from: UUID, $uuid: UUID) {
      sendReply(input: { parent: $parent, content: $content, locked: $lock, from: $from, uuid: $uuid }) {
        reply { ...Publication }
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The new reply, or the existing one if it was sent before under the same `uuid`.',
    schema: z
      .object({
        uuid: uuid.describe('The uuid of the reply.'),
        parent: uuid.describe('The uuid of the parent.'),
        reply: post,
      })
      .describe('A new reply.')
      .register(components, {
        id: 'SentReply',
        example: { uuid: sampleReply.uuid, parent: samplePost.uuid, reply: postObject(sampleReply) },
      }),
    body: ({ sendReply: { reply } }) => ({ uuid: reply.uuid, parent: reply.parentUuid, reply: postObject(reply) }),
  },
  errors: ['FORBIDDEN', 'POST_LOCKED', 'NOT_FOUND', 'CONFLICT'],
})
