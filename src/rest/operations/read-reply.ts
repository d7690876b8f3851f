import { z } from 'zod'
import { graphql, replyFragment } from '../graphql.ts'
import { found, operation, repliesOnly } from '../operation.ts'
import { content, post, postObject, samplePost, sampleReply } from '../schemas/posts.ts'
import { components, uuid } from '../schemas/types.ts'
import { sampleViewer } from '../schemas/users.ts'

/** Get reply (section 4.3). */
export const getReply = operation({
  route: 'GET /reply/{uuid}',
  summary: 'Get a reply',
  description: repliesOnly,
  document: graphql('query GetReply($uuid: UUID!) { reply(uuid: $uuid) { ...ReplyRepresentation } }', [replyFragment]),
  response: {
    description: 'The reply and the first page of its replies.',
    // The reply object (section 2.3): everything around the reply is a uuid.
    schema: z
      .object({
        uuid: uuid.describe('The uuid of the reply.'),
        parent: uuid.describe('The uuid of the parent, which may have been deleted.'),
        author: uuid.describe('The uuid of the author.'),
        content,
        from: uuid.nullable().describe('The uuid of the application that sent the reply, or null.'),
        lock: z.boolean().describe('Whether only the author may reply to it. Called `locked` in a post object.'),
        replies: z.array(post).max(5).describe('The first page of its replies, oldest first.'),
      })
      .describe('A reply in the format of the reply endpoints, which refers to other objects by uuid.')
      .register(components, {
        id: 'Reply',
        example: {
          uuid: sampleReply.uuid,
          parent: samplePost.uuid,
          author: sampleViewer.uuid,
          content: sampleReply.content,
          from: null,
          lock: false,
          replies: [],
        },
      }),
    body: (data) => {
      const { uuid, parentUuid, author, content, from, locked, replies } = found('reply', data.reply)
      return {
        uuid,
        parent: parentUuid,
        author: author.uuid,
        content,
        from: from?.uuid ?? null,
        lock: locked,
        replies: replies.nodes.map(postObject),
      }
    },
  },
  tagged: { form: 'reply', resource: ({ reply }) => reply },
})
