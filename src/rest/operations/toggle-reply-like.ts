import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { repliesOnly, toggles } from '../operation-texts.ts'
import { objectOf, oneOfWords } from '../schemas/json-schema.ts'
import { apiVersions } from '../versions.ts'

function toBody(action: string) {
  return { _message: action.toLowerCase() }
}

/** Like/unlike reply (section 4.3). */
export const toggleReplyLike = operation({
  id: 'toggleReplyLike',
  method: 'PUT',
  path: '/like/{uuid}',
  version: apiVersions.replies,
  tag: 'Replies',
  summary: 'Like or unlike a reply',
  description: `${toggles} ${repliesOnly}`,
  document: graphql('mutation ToggleReplyLike($uuid: UUID!) { toggleReplyLike(input: { uuid: $uuid }) { action } }'),
  response: {
    description: 'Whether the reply was liked or unliked.',
    components: [
      {
        name: 'LikeMessage',
        schema: objectOf<ReturnType<typeof toBody>>('The result of liking or unliking a reply.', {
          _message: oneOfWords(['liked', 'unliked'], 'The action that was taken.'),
        }),
        example: toBody('LIKED'),
      },
    ],
    body: ({ toggleReplyLike }) => toBody(toggleReplyLike.action),
  },
  errors: ['NOT_FOUND', 'OUTCOME_UNKNOWN'],
})
