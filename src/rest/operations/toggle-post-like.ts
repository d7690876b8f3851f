import { z } from 'zod'
import { graphql } from '../graphql.ts'
import { eitherKind, operation, toggles } from '../operation.ts'
import { likeAction, samplePost } from '../schemas/posts.ts'
import { components, uuid } from '../schemas/types.ts'

/** Like/unlike post (section 4.1). */
export const togglePostLike = operation({
  route: 'POST /post/{uuid}/like',
  summary: 'Like or unlike a post',
  description: `${toggles} ${eitherKind}`,
  document: graphql('mutation TogglePostLike($uuid: UUID!) { toggleLike(input: { uuid: $uuid }) { action } }'),
  response: {
    description: 'Whether the post was liked or unliked.',
    schema: z
      .object({
        action: likeAction,
        uuid: uuid.describe('The uuid of the post or reply.'),
      })
      .describe('The result of liking or unliking a post or a reply.')
      .register(components, { id: 'LikeToggle', example: { action: 'liked', uuid: samplePost.uuid } }),
    body: ({ toggleLike }, _session, { uuid }) => ({
      action: likeAction.enum[toggleLike.action],
      uuid: String(uuid).toLowerCase(),
    }),
  },
})
