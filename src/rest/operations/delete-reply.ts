import { graphql, publicationFragment } from '../graphql.ts'
import { operation, repliesOnly } from '../operation.ts'
import { changedReply, changedReplyObject } from '../schemas/posts.ts'

/** Delete reply (section 4.3). */
export const deleteReply = operation({
  route: 'DELETE /reply/{uuid}',
  summary: 'Delete a reply',
  description: `For the author only. Its own replies remain. ${repliesOnly}`,
  document: graphql(
    `mutation DeleteReply($uuid: UUID!, $ifUnchangedSince: DateTime) {
      deleteReply(input: { uuid: $uuid, ifUnchangedSince: $ifUnchangedSince }) { reply { ...Publication } }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The reply as it was before the deletion.',
    schema: changedReply,
    body: ({ deleteReply }) => changedReplyObject(deleteReply.reply),
  },
  ifMatch: true,
  errors: ['FORBIDDEN'],
})
