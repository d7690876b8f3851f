import { z } from 'zod'
import { maxLookups } from '../../engine/compiler/lookup-list.ts'
import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { eitherKind, found, operation, repliesOnly } from '../../engine/rest/operation.ts'
import { component, pageOf, sentUuid } from '../../engine/rest/types.ts'
import { sampleUser, sampleViewer, userOwner, userView } from '../accounts/rest-views.ts'
import { hashtagOwner, postOwner, postView, replyView, sampleHashtag, samplePost, sampleReply } from './rest-views.ts'

/** Get post (section 4.1). */
export const getPost = operation({
  route: 'GET /post/{uuid}',
  summary: 'Get a post',
  description: eitherKind,
  document: graphql('query GetPost($uuid: UUID!) { post(uuid: $uuid) { ...Post editedAt } }', [postView.fragment]),
  response: {
    schema: postView.schema,
    body: ({ post }) => postView.object(found('post', post)),
  },
  tagged: { resource: ({ post }) => post },
})

/** Get posts, which the interface does not have. */
export const getPosts = operation({
  route: 'GET /post',
  summary: 'Get several posts',
  description: `In the order of \`uuid\`, with null for each that does not exist or was deleted. ${eitherKind}`,
  query: {
    uuid: {
      required: true,
      schema: z.array(sentUuid).min(1).max(maxLookups),
      description: `The uuid of a post or reply. Repeat it for up to ${maxLookups}, such as \`?uuid=…&uuid=…\`.`,
      example: [samplePost.uuid, sampleReply.uuid],
    },
  },
  document: graphql('query GetPosts($uuid: [UUID!]!) { publications(uuids: $uuid) { ...Post } }', [postView.fragment]),
  response: {
    schema: component(
      'Posts',
      'Posts and replies, in the order of the request.',
      {
        posts: z
          .array(postView.schema.nullable())
          .max(maxLookups)
          .describe('The posts and replies, with null for each that does not exist.'),
      },
      { posts: [postView.example, null] },
    ),
    body: ({ publications }) => ({ posts: publications.map((it) => it && postView.object(it)) }),
  },
})

/** Get post replies (section 4.1). */
export const getPostReplies = operation({
  route: 'GET /post/{uuid}/replies/{page}',
  summary: 'Get the replies to a post',
  description: 'One page of the replies to a post or a reply, oldest first.',
  scopes: [['post.get', 'reply.get']],
  list: { by: 'number', size: 5, of: ({ post }) => post?.replies },
  document: graphql(
    `query GetPostReplies($uuid: UUID!, $first: Int!, $offset: Int!, $after: String) {
      post(uuid: $uuid) {
        ...Post
        replies(first: $first, offset: $offset, after: $after) { nodes { ...Post } pageInfo { hasNextPage endCursor } }
      }
    }`,
    [postView.fragment],
  ),
  response: {
    schema: component(
      'PostReplies',
      'A post and one page of its replies.',
      { post: postView.schema, replies: pageOf(postView.schema).describe('The replies, oldest first.') },
      { post: postView.example, replies: [postView.object(sampleReply)] },
    ),
    body: (data) => {
      const post = found('post', data.post)
      return { post: postView.object(post), replies: post.replies.nodes.map(postView.object) }
    },
  },
})

/** Get post likes, which the interface does not have. */
export const getPostLikes = list('PostLikes', {
  route: 'GET /post/{uuid}/likes/{page}',
  summary: 'Get the users who like a post',
  description: `One page, newest like first. ${eitherKind}`,
  owner: postOwner,
  ownerExample: samplePost.uuid,
  field: 'likers',
  view: userView,
})

/** Get hashtag posts, which the interface does not have. */
export const getHashtagPosts = list('HashtagPosts', {
  route: 'GET /tag/{name}/{page}',
  summary: 'Get the posts with a hashtag',
  description: 'One page of the posts and replies that have a hashtag, newest first. A hashtag that none has gets 404.',
  owner: hashtagOwner,
  ownerExample: sampleHashtag,
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
  response: {
    schema: replyView.schema,
    body: ({ reply }) => replyView.object(found('reply', reply)),
  },
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
  example: postView.object(sampleReply),
})
