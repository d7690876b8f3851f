import { z } from 'zod'
import { graphql } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { postView, samplePost, sampleReply } from '../schemas/posts.ts'
import { components, pageOf, uuid } from '../schemas/types.ts'
import { view } from '../view.ts'

const placeView = view(
  'ThreadPlace',
  'ThreadPlace',
  'A post or reply that was deleted or is hidden from the owner of the token.',
  { uuid: '019ab2c4-a141-7f6d-8c33-8e4f50617283', parentUuid: sampleReply.uuid },
  {
    uuid: ['uuid', uuid.describe('The uuid of the post or reply.')],
    parent: ['parentUuid', uuid.nullable().describe('The uuid of its parent. Null for a post.')],
  },
)

/** Get post thread, which the interface does not have. */
export const getPostThread = operation({
  route: 'GET /post/{uuid}/thread/{page}',
  summary: 'Get the whole thread of a post',
  description:
    'One page of the thread that a post or a reply belongs to: a post, its replies, their replies and so on, oldest first. `places` has those of the page that were deleted or are hidden, which count to its size. Pages past the end are empty.',
  list: { by: 'number', of: ({ post }) => post?.thread },
  document: graphql(
    `query GetPostThread($uuid: UUID!, $first: Int!, $offset: Int!) {
      post(uuid: $uuid) {
        uuid
        thread(first: $first, offset: $offset) { nodes { ...Post } places { ...ThreadPlace } pageInfo { hasNextPage } }
      }
    }`,
    [postView.fragment, placeView.fragment],
  ),
  response: {
    description: 'The page of the thread.',
    schema: z
      .object({
        post: uuid.describe('The uuid of the post or reply.'),
        thread: pageOf(postView.schema).describe('The posts and replies, oldest first.'),
        places: pageOf(placeView.schema).describe('Those that were deleted or are hidden, oldest first.'),
      })
      .describe('One page of a thread.')
      .register(components, {
        id: 'PostThread',
        example: {
          post: samplePost.uuid,
          thread: [postView.example, postView.object(sampleReply)],
          places: [placeView.example],
        },
      }),
    body: (data) => {
      const { uuid, thread } = found('post', data.post)
      return { post: uuid, thread: thread.nodes.map(postView.object), places: thread.places.map(placeView.object) }
    },
  },
})
