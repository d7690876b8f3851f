import { graphql, publicationFragment } from '../graphql.ts'
import { operation, repliesOnly } from '../operation.ts'
import { changesOf, lock, newContent } from '../schemas/bodies.ts'
import { changedReply, changedReplyObject, sampleReply } from '../schemas/posts.ts'
import { components } from '../schemas/types.ts'

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
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The updated reply.',
    schema: changedReply,
    body: ({ updateReply }) => changedReplyObject(updateReply.reply),
  },
  ifMatch: true,
  errors: ['FORBIDDEN'],
})
