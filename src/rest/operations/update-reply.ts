import { publicationFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { repliesOnly } from '../operation-texts.ts'
import { content, lock } from '../schemas/body-fields.ts'
import { changedReplyComponent } from '../schemas/components.ts'
import { changedReply } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

/** Update reply (section 4.3). */
export const updateReply = operation({
  id: 'updateReply',
  method: 'PATCH',
  path: '/reply/{uuid}',
  version: apiVersions.replies,
  tag: 'Replies',
  summary: 'Update a reply',
  description: `For the author only. ${repliesOnly}`,
  body: { content, lock },
  document: graphql(
    `mutation UpdateReply($uuid: UUID!, $content: String, $lock: Boolean, $ifUnchangedSince: DateTime) {
      updateReply(input: { uuid: $uuid, content: $content, locked: $lock, ifUnchangedSince: $ifUnchangedSince }) {
        reply { ...Publication }
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The updated reply.',
    components: [changedReplyComponent],
    body: ({ updateReply }) => changedReply(updateReply.reply),
  },
  ifMatch: true,
  errors: [
    'FORBIDDEN',
    'NOT_FOUND',
    'PRECONDITION_FAILED',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'VALIDATION_FAILED',
    'OUTCOME_UNKNOWN',
  ],
})
