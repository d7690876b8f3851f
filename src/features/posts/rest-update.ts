import { changesOf } from '../../engine/rest/bodies.ts'
import { graphql } from '../../engine/rest/graphql.ts'
import { eitherKind, operation, repliesOnly } from '../../engine/rest/operation.ts'
import { lock, locked, newContent } from './rest-bodies.ts'
import { changedReplyView, postView, replyView, sampleReply } from './rest-views.ts'

/** Update post (section 4.1). */
export const updatePost = operation({
  route: 'PATCH /post/{uuid}',
  summary: 'Update a post',
  description: `For the author only. ${eitherKind}`,
  body: changesOf(
    'UpdatePostBody',
    'UpdatePostInput',
    { content: newContent.nullish(), ...locked },
    { content: sampleReply.content, locked: false },
  ),
  document: graphql(
    `mutation UpdatePost($uuid: UUID!, $content: String, $locked: Boolean, $ifUnchangedSince: DateTime) {
      updatePost(input: { uuid: $uuid, content: $content, locked: $locked, ifUnchangedSince: $ifUnchangedSince }) {
        publication { ...Post editedAt }
      }
    }`,
    [postView.fragment],
  ),
  response: {
    schema: postView.schema,
    body: ({ updatePost }) => postView.object(updatePost.publication),
  },
  tagged: { resource: ({ updatePost }) => updatePost.publication },
  errors: ['FORBIDDEN'],
})

/** Update reply (section 4.3). */
export const updateReply = operation({
  route: 'PATCH /reply/{uuid}',
  summary: 'Update a reply',
  description: `For the author only. ${repliesOnly}`,
  body: changesOf(
    'UpdateReplyBody',
    'UpdatePostInput',
    { content: newContent.nullish(), ...lock },
    { content: sampleReply.content, lock: false },
  ),
  document: graphql(
    `mutation UpdateReply($uuid: UUID!, $content: String, $lock: Boolean, $ifUnchangedSince: DateTime) {
      updateReply(input: { uuid: $uuid, content: $content, locked: $lock, ifUnchangedSince: $ifUnchangedSince }) {
        reply { ...ChangedReply }
        read: reply { ...Reply createdAt editedAt }
      }
    }`,
    [changedReplyView.fragment, replyView.fragment],
  ),
  response: {
    schema: changedReplyView.schema,
    body: ({ updateReply }) => changedReplyView.object(updateReply.reply),
  },
  tagged: { read: replyView, resource: ({ updateReply }) => updateReply.read },
  errors: ['FORBIDDEN'],
})
