import { bodyOf } from '../../engine/rest/bodies.ts'
import { graphql } from '../../engine/rest/graphql.ts'
import { operation } from '../../engine/rest/operation.ts'
import { sentUuid } from '../../engine/rest/types.ts'
import { from, lock, locked, newContent, newUuid } from './rest-bodies.ts'
import { postView, replyView, samplePost, sampleReply, sentReplyView } from './rest-views.ts'

/** Send post (section 4.1). */
export const sendPost = operation({
  route: 'POST /post',
  summary: 'Send a post',
  description: 'With `parent`, sends a reply. The first set of scopes is for posts, the second for replies.',
  body: bodyOf(
    'SendPostBody',
    'SendPostInput',
    { content: newContent, ...locked, parent: sentUuid.nullish(), from, uuid: newUuid },
    { content: sampleReply.content, locked: false },
  ),
  document: graphql(
    `mutation SendPost($content: String!, $locked: Boolean, $parent: UUID, $from: UUID, $uuid: UUID) {
      sendPost(input: { content: $content, locked: $locked, parent: $parent, from: $from, uuid: $uuid }) {
        publication { ...Post editedAt }
      }
    }`,
    [postView.fragment],
  ),
  response: {
    description: 'The new post, or the existing one if it was sent before under the same `uuid`.',
    schema: postView.schema,
    body: ({ sendPost }) => postView.object(sendPost.publication),
  },
  tagged: { resource: ({ sendPost }) => sendPost.publication },
  errors: ['FORBIDDEN', 'POST_LOCKED', 'NOT_FOUND', 'CONFLICT'],
})

/** Send reply (section 4.3). */
export const sendReply = operation({
  route: 'POST /reply',
  summary: 'Send a reply',
  description: 'Replies to a post or to a reply, unless another user has locked it.',
  body: bodyOf(
    'SendReplyBody',
    'SendReplyInput',
    { content: newContent, ...lock, from, parent: sentUuid, uuid: newUuid },
    { content: sampleReply.content, lock: false, parent: samplePost.uuid },
  ),
  document: graphql(
    `mutation SendReply($parent: UUID!, $content: String!, $lock: Boolean, $from: UUID, $uuid: UUID) {
      sendReply(input: { parent: $parent, content: $content, locked: $lock, from: $from, uuid: $uuid }) {
        reply { ...SentReply editedAt }
      }
    }`,
    [sentReplyView.fragment],
  ),
  response: {
    description: 'The new reply, or the existing one if it was sent before under the same `uuid`.',
    schema: sentReplyView.schema,
    body: ({ sendReply }) => sentReplyView.object(sendReply.reply),
  },
  tagged: {
    read: replyView,
    // Reading the replies of an earlier one would cost as much as sending it.
    resource: ({ sendReply: { reply } }) => (reply.replyCount > 0 ? undefined : { ...reply, replies: { nodes: [] } }),
    isOptional: true,
  },
  errors: ['FORBIDDEN', 'POST_LOCKED', 'NOT_FOUND', 'CONFLICT'],
})
