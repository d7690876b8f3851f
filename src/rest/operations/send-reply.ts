import { publicationFragment, type ReplyData } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { uuid as clientUuid, content, from, lock, parent } from '../schemas/body-fields.ts'
import { post, refTo } from '../schemas/components.ts'
import { objectOf, uuid } from '../schemas/json-schema.ts'
import { sampleReply } from '../schemas/samples.ts'
import { postObject } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

function toBody(reply: ReplyData) {
  return { uuid: reply.uuid, parent: reply.parentUuid, reply: postObject(reply) }
}

/** Send reply (section 4.3). */
export const sendReply = operation({
  id: 'sendReply',
  method: 'POST',
  path: '/reply',
  version: apiVersions.replies,
  tag: 'Replies',
  summary: 'Send a reply',
  description: 'Replies to a post or to a reply, unless another user has locked it.',
  body: { content, lock, from, parent, uuid: clientUuid },
  document: graphql(
    `mutation SendReply($parent: UUID!, $content: String!, $lock: Boolean, $from: UUID, $uuid: UUID) {
      sendReply(input: { parent: $parent, content: $content, locked: $lock, from: $from, uuid: $uuid }) {
        reply { ...Publication }
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The new reply, or the existing one if it was sent before under the same `uuid`.',
    components: [
      {
        name: 'SentReply',
        schema: objectOf<ReturnType<typeof toBody>>('A new reply.', {
          uuid: uuid('The uuid of the reply.'),
          parent: uuid('The uuid of the parent.'),
          reply: refTo(post),
        }),
        example: toBody(sampleReply),
      },
    ],
    body: ({ sendReply }) => toBody(sendReply.reply),
  },
  errors: [
    'FORBIDDEN',
    'POST_LOCKED',
    'NOT_FOUND',
    'CONFLICT',
    'PAYLOAD_TOO_LARGE',
    'UNSUPPORTED_MEDIA_TYPE',
    'VALIDATION_FAILED',
    'OUTCOME_UNKNOWN',
  ],
})
