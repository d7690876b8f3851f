import { graphql } from '../graphql.ts'
import { found, operation, repliesOnly } from '../operation.ts'
import { replyView } from '../schemas/posts.ts'

/** Get reply (section 4.3). */
export const getReply = operation({
  route: 'GET /reply/{uuid}',
  summary: 'Get a reply',
  description: repliesOnly,
  document: graphql('query GetReply($uuid: UUID!) { reply(uuid: $uuid) { ...Reply createdAt editedAt } }', [
    replyView.fragment,
  ]),
  response: {
    description: 'The reply and the first page of its replies.',
    schema: replyView.schema,
    body: ({ reply }) => replyView.object(found('reply', reply)),
  },
  tagged: { resource: ({ reply }) => reply },
})
