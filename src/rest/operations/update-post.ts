import { graphql, publicationFragment, publicationVersions } from '../graphql.ts'
import { eitherKind, operation } from '../operation.ts'
import { changesOf, locked, newContent } from '../schemas/bodies.ts'
import { post, postObject, sampleReply } from '../schemas/posts.ts'
import { components } from '../schemas/types.ts'

/** Update post (section 4.1). */
export const updatePost = operation({
  route: 'PATCH /post/{uuid}',
  summary: 'Update a post',
  description: `For the author only. ${eitherKind}`,
  body: changesOf({ content: newContent.nullish(), ...locked }).register(components, {
    id: 'UpdatePostBody',
    example: { content: sampleReply.content, locked: false },
  }),
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
    schema: post,
    body: ({ updatePost }) => postObject(updatePost.publication),
  },
  tagged: { form: 'post', resource: ({ updatePost }) => updatePost.publication },
  ifMatch: true,
  errors: ['FORBIDDEN'],
})
