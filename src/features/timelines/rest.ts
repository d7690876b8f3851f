import { graphql } from '../../engine/rest/graphql.ts'
import { found, operation } from '../../engine/rest/operation.ts'
import { component, pageOf, uuid } from '../../engine/rest/types.ts'
import { view } from '../../engine/rest/view.ts'
import { postView, samplePost, sampleReply } from '../posts/rest-views.ts'

const placeView = view(
  'ThreadPlace',
  'ThreadPlace',
  'A publication of the thread that was deleted or is hidden from the viewer.',
  { uuid: '019ab2c4-a141-7f6d-8c33-8e4f50617283', parentUuid: sampleReply.uuid },
  {
    uuid: ['uuid', uuid],
    parent: ['parentUuid', uuid.nullable()],
  },
)

/** Get post thread, which the interface does not have. */
export const getPostThread = operation({
  route: 'GET /post/{uuid}/thread/{page}',
  summary: 'Get the whole thread of a post',
  description:
    'One page of the thread that a post or a reply belongs to: a post, its replies, their replies and so on, oldest first. `places` has those of the page that were deleted or are hidden, which count to its size.',
  list: { by: 'number', of: ({ post }) => post?.thread },
  document: graphql(
    `query GetPostThread($uuid: UUID!, $first: Int!, $offset: Int!, $after: String) {
      post(uuid: $uuid) {
        uuid
        thread(first: $first, offset: $offset, after: $after) { nodes { ...Post } places { ...ThreadPlace } pageInfo { hasNextPage endCursor } }
      }
    }`,
    [postView.fragment, placeView.fragment],
  ),
  response: {
    schema: component(
      'PostThread',
      'One page of a thread.',
      {
        post: uuid.describe('The uuid of the post or reply.'),
        thread: pageOf(postView.schema).describe('The posts and replies, oldest first.'),
        places: pageOf(placeView.schema).describe('Those that were deleted or are hidden, oldest first.'),
      },
      {
        post: samplePost.uuid,
        thread: [postView.example, postView.object(sampleReply)],
        places: [placeView.example],
      },
    ),
    body: (data) => {
      const { uuid, thread } = found('post', data.post)
      return { post: uuid, thread: thread.nodes.map(postView.object), places: thread.places.map(placeView.object) }
    },
  },
})
