import { publicationFragment, publicationVersions } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { eitherKind } from '../operation-texts.ts'
import { content, locked } from '../schemas/body-fields.ts'
import { post } from '../schemas/components.ts'
import { postObject } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

/** Update post (section 4.1). */
export const updatePost = operation({
  id: 'updatePost',
  method: 'PATCH',
  path: '/post/{uuid}',
  version: apiVersions.posts,
  tag: 'Posts',
  summary: 'Update a post',
  description: `For the author only. ${eitherKind}`,
  body: { content, locked },
  document: graphql(
    `mutation UpdatePost($uuid: UUID!, $content: String, $locked: Boolean, $ifUnchangedSince: DateTime) {
      updatePost(input: { uuid: $uuid, content: $content, locked: $locked, ifUnchangedSince: $ifUnchangedSince }) {
        publication { ...Publication ...PublicationVersions }
      }
    }`,
    [publicationFragment, publicationVersions],
  ),
  response: {
    description: 'The updated post.',
    components: [post],
    body: ({ updatePost }) => postObject(updatePost.publication),
  },
  tagged: { form: 'post', resource: ({ updatePost }) => updatePost.publication },
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
