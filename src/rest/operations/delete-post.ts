import { graphql, publicationFragment } from '../graphql.ts'
import { eitherKind, operation } from '../operation.ts'
import { post, postObject } from '../schemas/posts.ts'

/** Delete post (section 4.1). */
export const deletePost = operation({
  route: 'DELETE /post/{uuid}',
  summary: 'Delete a post',
  description: `For the author only. Its replies remain. ${eitherKind}`,
  document: graphql(
    `mutation DeletePost($uuid: UUID!, $ifUnchangedSince: DateTime) {
      deletePost(input: { uuid: $uuid, ifUnchangedSince: $ifUnchangedSince }) { publication { ...Publication } }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The post as it was before the deletion.',
    schema: post,
    body: ({ deletePost }) => postObject(deletePost.publication),
  },
  ifMatch: true,
  errors: ['FORBIDDEN'],
})
