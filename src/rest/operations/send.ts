import { z } from 'zod'
import { graphql, publicationFragment, publicationVersions, type ReplyData } from '../graphql.ts'
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
        publication { ...Publication ...PublicationVersions }
      }
    }`,
    [publicationFragment, publicationVersions],
  ),
  response: {
    description: 'The new post, or the existing one if it was sent before under the same `uuid`.',
    schema: post,
    body: ({ sendPost }) => postObject(sendPost.publication),
  },
  tagged: { form: 'post', resource: ({ sendPost }) => sendPost.publication },
  errors: ['FORBIDDEN', 'POST_LOCKED', 'NOT_FOUND', 'CONFLICT'],
})

type Sent = ReplyData & { readonly version: string; readonly editedAt: Date | string | null }

/** A reply as reading it represents it, if nobody has replied to it yet. Reading its replies would cost as much as sending it. */
function unanswered({ uuid, author, from, version, createdAt, editedAt, replyCount }: Sent) {
  if (replyCount > 0) return undefined
  const [by, through] = [{ uuid: author.uuid }, from && { uuid: from.uuid }]
  return { uuid, author: by, from: through, version, createdAt, editedAt, replies: { nodes: [] } }
}

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
        reply { ...Publication version editedAt }
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
  tagged: { form: 'reply', resource: ({ sendReply }) => unanswered(sendReply.reply), isOptional: true },
  errors: ['FORBIDDEN', 'POST_LOCKED', 'NOT_FOUND', 'CONFLICT'],
})
