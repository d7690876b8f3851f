import { graphql, publicationFragment, publicationVersions, replyFragment } from '../graphql.ts'
import { eitherKind, operation, repliesOnly } from '../operation.ts'
import { changesOf, lock, locked, newContent } from '../schemas/bodies.ts'
import { changedReply, changedReplyObject, post, postObject, sampleReply } from '../schemas/posts.ts'
import { components } from '../schemas/types.ts'
import { getPost } from './read-posts.ts'
import { getReply } from './read-reply.ts'

/** Update post (section 4.1). */
export const updatePost = operation({
  route: 'PATCH /post/{uuid}',
  summary: 'Update a post',
  description: `For the author only. ${eitherKind}`,
  body: changesOf({ content: newContent.nullish(), ...locked }).register(components, {
    id: 'UpdatePostBody',
    example: { content: sampleReply.content, locked: false },
  }),
  document: graphql(
    `mutation UpdatePost($uuid: UUID!, $content: String, $locked: Boolean, $ifUnchangedSince: DateTime) {
      updatePost(input: { uuid: $uuid, content: $content, locked: $locked, ifUnchangedSince: $ifUnchangedSince }) {
        publication { ...Publication ...PublicationVersions }
      }
    }`,
    [publicationFragment, publicationVersions],
  ),
  response: {
    description: 'The updated post.',
    schema: post,
    body: ({ updatePost }) => postObject(updatePost.publication),
  },
  tagged: { form: 'post', resource: ({ updatePost }) => updatePost.publication },
  conditionalOn: getPost,
  errors: ['FORBIDDEN'],
})

/** Update reply (section 4.3). */
export const updateReply = operation({
  route: 'PATCH /reply/{uuid}',
  summary: 'Update a reply',
  description: `For the author only. ${repliesOnly}`,
  body: changesOf({ content: newContent.nullish(), ...lock }).register(components, {
    id: 'UpdateReplyBody',
    example: { content: sampleReply.content, lock: false },
  }),
  document: graphql(
    `mutation UpdateReply($uuid: UUID!, $content: String, $lock: Boolean, $ifUnchangedSince: DateTime) {
      updateReply(input: { uuid: $uuid, content: $content, locked: $lock, ifUnchangedSince: $ifUnchangedSince }) {
        reply { ...Publication }
        read: reply { ...ReplyRepresentation }
      }
    }`,
    [publicationFragment, replyFragment],
  ),
  response: {
    description: 'The updated reply.',
    schema: changedReply,
    body: ({ updateReply }) => changedReplyObject(updateReply.reply),
  },
  tagged: { form: 'reply', resource: ({ updateReply }) => updateReply.read },
  conditionalOn: getReply,
  errors: ['FORBIDDEN'],
})
