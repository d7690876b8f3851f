import { z } from 'zod'
import { likes } from '../../domain/edges.ts'
import { graphql } from '../graphql.ts'
import { eitherKind, found, operation, repliesOnly, toggles } from '../operation.ts'
import { ownList } from '../own-list.ts'
import { postView, samplePost } from '../schemas/posts.ts'
import { components, pageOf, uuid } from '../schemas/types.ts'
import { userView } from '../schemas/users.ts'
import { actionOf, toggle } from '../toggle.ts'

/** Get post likes, which the interface does not have. */
export const getPostLikes = operation({
  route: 'GET /post/{uuid}/likes/{page}',
  summary: 'Get the users who like a post',
  description: `One page, newest like first. Pages past the end are empty. ${eitherKind}`,
  list: { by: 'number', of: ({ post }) => post?.likers },
  document: graphql(
    `query GetPostLikes($uuid: UUID!, $first: Int!, $offset: Int!) {
      post(uuid: $uuid) {
        uuid
        likers(first: $first, offset: $offset) { nodes { ...User } pageInfo { hasNextPage } }
      }
    }`,
    [userView.fragment],
  ),
  response: {
    description: 'The page of users.',
    schema: z
      .object({
        post: uuid.describe('The uuid of the post or reply.'),
        likers: pageOf(userView.schema).describe('The users, newest like first.'),
      })
      .describe('One page of the users who like a post.')
      .register(components, {
        id: 'PostLikes',
        example: { post: samplePost.uuid, likers: [userView.example] },
      }),
    body: (data) => {
      const { uuid, likers } = found('post', data.post)
      return { post: uuid, likers: likers.nodes.map(userView.object) }
    },
  },
})

/** Get user likes, which the interface does not have. */
export const getUserLikes = ownList(
  likes,
  postView,
  graphql(
    `query GetUserLikes($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) { uuid username list: likes(first: $first, offset: $offset) { nodes { ...Post } pageInfo { hasNextPage } } }
    }`,
    [postView.fragment],
  ),
)

/** Like/unlike post (section 4.1). */
export const togglePostLike = toggle(
  likes,
  graphql('mutation TogglePostLike($uuid: UUID!) { toggled: toggleLike(input: { uuid: $uuid }) { action } }'),
)

/** Like/unlike reply (section 4.3). */
export const toggleReplyLike = operation({
  route: 'PUT /like/{uuid}',
  summary: 'Like or unlike a reply',
  description: `${toggles} ${repliesOnly}`,
  document: graphql('mutation ToggleReplyLike($uuid: UUID!) { toggleReplyLike(input: { uuid: $uuid }) { action } }'),
  response: {
    description: 'Whether the reply was liked or unliked.',
    schema: z
      .object({ _message: actionOf(likes) })
      .describe('The result of liking or unliking a reply.')
      .register(components, { id: 'LikeMessage', example: { _message: 'liked' } }),
    body: ({ toggleReplyLike }) => ({ _message: toggleReplyLike.action.toLowerCase() }),
  },
})
