import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { computed, view } from '../../engine/rest/view.ts'
import { sampleUser, sampleViewer, userOwner } from '../accounts/rest-views.ts'
import { maxLookups } from '../base/lookup-list.ts'
import {
  eitherKind,
  hashtagOwner,
  languageFilter,
  postOwner,
  postView,
  repliesOnly,
  replyView,
  sampleHashtag,
  samplePost,
  sampleReply,
} from './rest-views.ts'

/** Get post (section 4.1). */
export const getPost = operation({
  route: 'GET /post/{uuid}',
  summary: 'Get a post',
  description: eitherKind,
  document: graphql('query GetPost($uuid: UUID!) { post(uuid: $uuid) { ...Post editedAt } }', [postView.fragment]),
  view: postView,
  of: ({ post }) => post,
  tagged: { resource: ({ post }) => post },
})

const postsView = view(
  'Posts',
  'Query',
  'Posts and replies, in the order of the request.',
  { publications: [samplePost, null] },
  {
    posts: [
      'publications(uuids: $uuid)',
      postView,
      { description: 'The posts and replies, with null for each that does not exist.', maxItems: maxLookups },
    ],
  },
)

/** Get posts, which the interface does not have. */
export const getPosts = operation({
  route: 'GET /post',
  summary: 'Get several posts',
  description: `In the order of \`uuid\`, with null for each that does not exist or was deleted. ${eitherKind}`,
  query: {
    uuid: {
      schema: { minItems: 1, maxItems: maxLookups },
      description: `The uuid of a post or reply. Repeat it for up to ${maxLookups}, such as \`?uuid=…&uuid=…\`.`,
      example: [samplePost.uuid, sampleReply.uuid],
    },
  },
  document: graphql('query GetPosts($uuid: [UUID!]!) { ...Posts }', [postsView.fragment]),
  view: postsView,
  of: (data) => data,
})

const repliesView = view(
  'PostReplies',
  'Publication',
  'A post and one page of its replies.',
  { ...samplePost, replies: { nodes: [sampleReply], pageInfo: { hasNextPage: false, endCursor: null } } },
  {
    post: computed(
      graphql('fragment PostWithReplies on Publication { ...Post }', [postView.fragment]),
      postView.object,
      postView.schema,
    ),
    replies: [
      'replies(first: $first, offset: $offset, after: $after)',
      { nodes: postView },
      { description: 'The replies, oldest first.' },
    ],
  },
)

/** Get post replies (section 4.1). */
export const getPostReplies = operation({
  route: 'GET /post/{uuid}/replies/{page}',
  summary: 'Get the replies to a post',
  description: 'One page of the replies to a post or a reply, oldest first.',
  scopes: [['post.get', 'reply.get']],
  list: { by: 'number', size: 5, of: ({ post }) => post?.replies },
  document: graphql(
    `query GetPostReplies($uuid: UUID!, $first: Int!, $offset: Int!, $after: String) {
      post(uuid: $uuid) { ...PostReplies }
    }`,
    [repliesView.fragment],
  ),
  view: repliesView,
  of: ({ post }) => post,
})

/** Get post quotes, which the interface does not have. */
export const getPostQuotes = list('PostQuotes', {
  route: 'GET /post/{uuid}/quotes/{page}',
  summary: 'Get the quotes of a post',
  description: `One page of the posts and replies that quote a post, newest first. ${eitherKind}`,
  owner: postOwner,
  ownerExample: samplePost.uuid,
  field: 'quotes',
  property: 'posts',
  view: postView,
})

/** Get hashtag posts, which the interface does not have. */
export const getHashtagPosts = list('HashtagPosts', {
  route: 'GET /tag/{name}/{page}',
  summary: 'Get the posts with a hashtag',
  description: 'One page of the posts and replies that have a hashtag, newest first. A hashtag that none has gets 404.',
  owner: hashtagOwner,
  ownerExample: sampleHashtag,
  query: languageFilter.query,
  filter: { arguments: languageFilter.arguments, variables: languageFilter.variables },
  field: 'publications',
  property: 'posts',
  view: postView,
})

/** Get reply (section 4.3). */
export const getReply = operation({
  route: 'GET /reply/{uuid}',
  summary: 'Get a reply',
  description: repliesOnly,
  document: graphql('query GetReply($uuid: UUID!) { reply(uuid: $uuid) { ...Reply createdAt editedAt } }', [
    replyView.fragment,
  ]),
  view: replyView,
  of: ({ reply }) => reply,
  tagged: { resource: ({ reply }) => reply },
})

/** Get user posts (section 4.2). */
export const getUserPosts = list('UserPosts', {
  route: 'GET /user/{user}/posts/{page}',
  summary: 'Get the posts of a user',
  owner: userOwner,
  ownerExample: sampleUser.uuid,
  field: 'posts',
  view: postView,
})

/** Get user replies, which the interface does not have. */
export const getUserReplies = list('UserReplies', {
  route: 'GET /user/{user}/replies/{page}',
  summary: 'Get the replies of a user',
  owner: userOwner,
  ownerExample: sampleViewer.uuid,
  field: 'replies',
  view: postView,
  sample: sampleReply,
})

/** Get the publications that the viewer is addressed by, which the interface does not have. */
export const getAddressed = list('Addressed', {
  route: 'GET /user/{user}/addressed/{page}',
  summary: 'Get the posts for addressees',
  description:
    'One page of the posts and replies that started a conversation between addressees, of whom the viewer is one, newest ' +
    'first. Those of another user are refused with 403.',
  owner: userOwner,
  ownerExample: sampleViewer.uuid,
  field: 'addressed',
  property: 'posts',
  view: postView,
  items: 'The posts and replies, newest first.',
  errors: ['FORBIDDEN'],
})
