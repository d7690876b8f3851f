import { graphql } from '../../engine/rest/graphql.ts'
import { eitherKind, operation, repliesOnly } from '../../engine/rest/operation.ts'
import { changedReplyView, postView } from './rest-views.ts'

/** Delete post (section 4.1). */
export const deletePost = operation({
  route: 'DELETE /post/{uuid}',
  summary: 'Delete a post',
  description: `For the author only. Its replies remain. ${eitherKind}`,
  document: graphql(
    `mutation DeletePost($uuid: UUID!, $ifUnchangedSince: DateTime) {
      deletePost(input: { uuid: $uuid, ifUnchangedSince: $ifUnchangedSince }) { publication { ...Post } }
    }`,
    [postView.fragment],
  ),
  response: {
    description: 'The post as it was before the deletion.',
    schema: postView.schema,
    body: ({ deletePost }) => postView.object(deletePost.publication),
  },
  errors: ['FORBIDDEN'],
})

/** Delete reply (section 4.3). */
export const deleteReply = operation({
  route: 'DELETE /reply/{uuid}',
  summary: 'Delete a reply',
  description: `For the author only. Its own replies remain. ${repliesOnly}`,
  document: graphql(
    `mutation DeleteReply($uuid: UUID!, $ifUnchangedSince: DateTime) {
      deleteReply(input: { uuid: $uuid, ifUnchangedSince: $ifUnchangedSince }) { reply { ...ChangedReply } }
    }`,
    [changedReplyView.fragment],
  ),
  response: {
    description: 'The reply as it was before the deletion.',
    schema: changedReplyView.schema,
    body: ({ deleteReply }) => changedReplyView.object(deleteReply.reply),
  },
  errors: ['FORBIDDEN'],
})
