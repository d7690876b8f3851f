import { z } from 'zod'
import { graphql } from '../graphql.ts'
import { operation, repliesOnly, toggles } from '../operation.ts'
import { likeAction } from '../schemas/posts.ts'
import { components } from '../schemas/types.ts'

/** Like/unlike reply (section 4.3). */
export const toggleReplyLike = operation({
  route: 'PUT /like/{uuid}',
  summary: 'Like or unlike a reply',
  description: `${toggles} ${repliesOnly}`,
  document: graphql('mutation ToggleReplyLike($uuid: UUID!) { toggleReplyLike(input: { uuid: $uuid }) { action } }'),
  response: {
    description: 'Whether the reply was liked or unliked.',
    schema: z
      .object({ _message: likeAction })
      .describe('The result of liking or unliking a reply.')
      .register(components, { id: 'LikeMessage', example: { _message: 'liked' } }),
    body: ({ toggleReplyLike }) => ({ _message: likeAction.enum[toggleReplyLike.action] }),
  },
})
