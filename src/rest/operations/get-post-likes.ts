import { type ProfileData, profileFragment } from '../fragments.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { eitherKind } from '../operation-texts.ts'
import { pageOf, user } from '../schemas/components.ts'
import { objectOf, uuid } from '../schemas/json-schema.ts'
import { samplePost, sampleUser } from '../schemas/samples.ts'
import { found, userObjects } from '../shapes.ts'
import { apiVersions } from '../versions.ts'

function toBody(post: string, users: readonly ProfileData[]) {
  return { post, likers: userObjects(users) }
}

/** Get post likes, which the interface does not have. */
export const getPostLikes = operation({
  id: 'getPostLikes',
  method: 'GET',
  path: '/post/{uuid}/likes/{page}',
  version: apiVersions.posts,
  tag: 'Posts',
  summary: 'Get the users who like a post',
  description: `One page, newest like first. Pages past the end are empty. ${eitherKind}`,
  pages: { size: 20, list: ({ post }) => post?.likers },
  document: graphql(
    `query GetPostLikes($uuid: UUID!, $first: Int!, $offset: Int!) {
      post(uuid: $uuid) {
        uuid
        likers(first: $first, offset: $offset) { nodes { ...Profile } pageInfo { hasNextPage } }
      }
    }`,
    [profileFragment],
  ),
  response: {
    description: 'The page of users.',
    components: [
      {
        name: 'PostLikes',
        schema: objectOf<ReturnType<typeof toBody>>('One page of the users who like a post.', {
          post: uuid('The uuid of the post or reply.'),
          likers: pageOf(user, 'The users, newest like first.'),
        }),
        example: toBody(samplePost.uuid, [sampleUser]),
      },
    ],
    body: (data) => {
      const { uuid, likers } = found('post', data.post)
      return toBody(uuid, likers.nodes)
    },
  },
  errors: ['NOT_FOUND', 'VALIDATION_FAILED'],
})
