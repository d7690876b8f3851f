import { publicationFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { content, from, locked, optionalParent, uuid } from '../schemas/body-fields.ts'
import { post } from '../schemas/components.ts'
import { postObject } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

/** Send post (section 4.1). */
export const sendPost = operation({
  id: 'sendPost',
  method: 'POST',
  path: '/post',
  version: apiVersions.posts,
  tag: 'Posts',
  summary: 'Send a post',
  description: 'With `parent`, sends a reply. The first set of scopes is for posts, the second for replies.',
  body: { content, locked, parent: optionalParent, from, uuid },
  document: graphql(
    `mutation SendPost($content: String!, $locked: Boolean, $parent: UUID, $from: UUID, $uuid: UUID) {
      sendPost(input: { content: $content, locked: $locked, parent: $parent, from: $from, uuid: $uuid }) {
        publication { ...Publication }
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The new post, or the existing one if it was sent before under the same `uuid`.',
    components: [post],
    body: ({ sendPost }) => postObject(sendPost.publication),
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
