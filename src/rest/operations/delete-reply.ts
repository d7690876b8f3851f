import { publicationFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { repliesOnly } from '../operation-texts.ts'
import { changedReplyComponent } from '../schemas/components.ts'
import { changedReply } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

/** Delete reply (section 4.3). */
export const deleteReply = operation({
  id: 'deleteReply',
  method: 'DELETE',
  path: '/reply/{uuid}',
  version: apiVersions.replies,
  tag: 'Replies',
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
    components: [changedReplyComponent],
    body: ({ deleteReply }) => changedReply(deleteReply.reply),
  },
  ifMatch: true,
  errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED', 'OUTCOME_UNKNOWN'],
})
