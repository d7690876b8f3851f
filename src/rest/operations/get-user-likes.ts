import { type PublicationData, publicationFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { pageOf, post } from '../schemas/components.ts'
import { objectOf, uuid } from '../schemas/json-schema.ts'
import { samplePost, sampleViewer } from '../schemas/samples.ts'
import { found, postObjects, visible } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

function toBody(user: string, publications: readonly PublicationData[]) {
  return { user, likes: postObjects(publications) }
}

/** Get user likes, which the interface does not have. */
export const getUserLikes = operation({
  id: 'getUserLikes',
  method: 'GET',
  path: '/user/{user}/likes/{page}',
  version: apiVersions.posts,
  tag: 'Users',
  summary: 'Get what the owner of the token likes',
  description:
    'One page of posts and replies, newest like first. Pages past the end are empty. The likes of another user are refused with 403.',
  pages: { size: 20, list: ({ user }) => user?.likes ?? undefined },
  document: graphql(
    `query GetUserLikes($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) {
        uuid
        likes(first: $first, offset: $offset) { nodes { ...Publication } pageInfo { hasNextPage } }
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The page of posts and replies.',
    components: [
      {
        name: 'UserLikes',
        schema: objectOf<ReturnType<typeof toBody>>('One page of what a user likes.', {
          user: uuid('The uuid of the user.'),
          likes: pageOf(post, 'The posts and replies, newest like first.'),
        }),
        example: toBody(sampleViewer.uuid, [samplePost]),
      },
    ],
    body: (data) => {
      const { uuid, likes } = found('user', data.user)
      return toBody(uuid, visible('likes', likes).nodes)
    },
  },
  errors: ['FORBIDDEN', 'NOT_FOUND', 'VALIDATION_FAILED'],
})
