import { publicationFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { eitherKind } from '../operation-texts.ts'
import { post } from '../schemas/components.ts'
import { postObject } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

/** Delete post (section 4.1). */
export const deletePost = operation({
  id: 'deletePost',
  method: 'DELETE',
  path: '/post/{uuid}',
  version: apiVersions.posts,
  tag: 'Posts',
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
    components: [post],
    body: ({ deletePost }) => postObject(deletePost.publication),
  },
  ifMatch: true,
  errors: ['FORBIDDEN', 'NOT_FOUND', 'PRECONDITION_FAILED', 'OUTCOME_UNKNOWN'],
})
