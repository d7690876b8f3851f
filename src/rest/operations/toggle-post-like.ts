import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { eitherKind, toggles } from '../operation-texts.ts'
import { objectOf, oneOfWords, uuid } from '../schemas/json-schema.ts'
import { samplePost } from '../schemas/samples.ts'
import { toggled } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

/** Like/unlike post (section 4.1). */
export const togglePostLike = operation({
  id: 'togglePostLike',
  method: 'POST',
  path: '/post/{uuid}/like',
  version: apiVersions.posts,
  tag: 'Posts',
  summary: 'Like or unlike a post',
  description: `${toggles} ${eitherKind}`,
  document: graphql('mutation ToggleLike($uuid: UUID!) { toggleLike(input: { uuid: $uuid }) { action } }'),
  response: {
    description: 'Whether the post was liked or unliked.',
    components: [
      {
        name: 'LikeToggle',
        schema: objectOf<ReturnType<typeof toggled>>('The result of liking or unliking a post or a reply.', {
          action: oneOfWords(['liked', 'unliked'], 'The action that was taken.'),
          uuid: uuid('The uuid of the post or reply.'),
        }),
        example: toggled('LIKED', samplePost.uuid),
      },
    ],
    body: ({ toggleLike }, _session, { uuid }) => toggled(toggleLike.action, uuid),
  },
  errors: ['NOT_FOUND', 'OUTCOME_UNKNOWN'],
})
