import { pageSize } from '../../engine/compiler/limits.ts'
import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { computed, seconds, view } from '../../engine/rest/view.ts'
import { sampleUser, userOwner, userView } from '../accounts/rest-views.ts'
import { languageFilter, postView, samplePost, sampleReply } from '../posts/rest-views.ts'
import { shownReposters } from './items.ts'

const samplePlace = { uuid: '019ab2c4-a141-7f6d-8c33-8e4f50617283', parentUuid: sampleReply.uuid }

const placeView = view(
  'ThreadPlace',
  'ThreadPlace',
  'A publication of the thread that was deleted or is hidden from the viewer.',
  samplePlace,
  {
    uuid: 'uuid',
    parent: 'parentUuid',
  },
)

const threadPage = graphql(
  `fragment ThreadPage on Publication {
    thread(first: $first, offset: $offset, after: $after) {
      nodes { ...Post }
      places { ...ThreadPlace }
      pageInfo { hasNextPage endCursor }
    }
  }`,
  [postView.fragment, placeView.fragment],
)

const threadView = view(
  'PostThread',
  'Publication',
  'One page of a thread.',
  {
    uuid: samplePost.uuid,
    thread: {
      nodes: [samplePost, sampleReply],
      places: [samplePlace],
      pageInfo: { hasNextPage: false, endCursor: null },
    },
  },
  {
    post: ['uuid', undefined, { description: 'The uuid of the post or reply.' }],
    thread: computed(threadPage, ({ thread }, extent) => thread.nodes.map((node) => postView.object(node, extent)), {
      type: 'array',
      items: postView.schema,
      maxItems: pageSize.max,
      description: 'The posts and replies, oldest first.',
    }),
    places: computed(
      threadPage,
      ({ thread }, extent) => thread.places.map((place) => placeView.object(place, extent)),
      {
        type: 'array',
        items: placeView.schema,
        maxItems: pageSize.max,
        description: 'Those that were deleted or are hidden, oldest first.',
      },
    ),
  },
)

/** Get post thread, which the interface does not have. */
export const getPostThread = operation({
  route: 'GET /post/{uuid}/thread/{page}',
  summary: 'Get the whole thread of a post',
  description:
    'One page of the thread that a post or a reply belongs to: a post, its replies, their replies and so ' +
    'on, oldest first. `places` has those of the page that were deleted or are hidden, which count to ' +
    'its size.',
  list: { by: 'number', of: ({ post }) => post?.thread },
  document: graphql(
    `query GetPostThread($uuid: UUID!, $first: Int!, $offset: Int!, $after: String) {
      post(uuid: $uuid) { ...PostThread }
    }`,
    [threadView.fragment],
  ),
  view: threadView,
  of: ({ post }) => post,
})

/** Get public timeline, which the interface does not have. */
export const getPublicTimeline = list('PublicTimeline', {
  route: 'GET /timeline/public/{page}',
  summary: 'Get the public timeline',
  query: languageFilter.query,
  filter: { arguments: languageFilter.arguments, variables: languageFilter.variables },
  field: 'publicTimeline',
  property: 'posts',
  view: postView,
})

const itemView = view(
  'TimelineItem',
  'TimelineItem',
  'An item of a timeline: a post, or a post or reply that was reposted.',
  {
    uuid: '019ab2c4-b152-7a7e-8d44-9f5061728394',
    publication: samplePost,
    repostedBy: [sampleUser],
    reposterCount: 1,
    at: '2026-07-26T13:00:00.000Z',
  },
  {
    uuid: 'uuid',
    post: ['publication', postView],
    reposted_by: ['repostedBy', userView, { maxItems: shownReposters }],
    reposter_count: 'reposterCount',
    at: ['at', seconds],
  },
)

/** Get home, which the interface does not have. */
export const getHome = list('Home', {
  route: 'GET /timeline/home',
  summary: 'Get the home timeline',
  by: 'cursor',
  field: 'home',
  property: 'items',
  view: itemView,
})

/** Get user timeline, which the interface does not have. */
export const getUserTimeline = list('UserTimeline', {
  route: 'GET /user/{user}/timeline',
  summary: 'Get the posts and reposts of a user',
  owner: userOwner,
  ownerExample: sampleUser.uuid,
  by: 'cursor',
  field: 'timeline',
  property: 'items',
  view: itemView,
})
