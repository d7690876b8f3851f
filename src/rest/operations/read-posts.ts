import { z } from 'zod'
import { maxLookups } from '../../reads/lookup-list.ts'
import { graphql } from '../graphql.ts'
import { eitherKind, found, operation } from '../operation.ts'
import { postView, samplePost, sampleReply } from '../schemas/posts.ts'
import { components, pageOf, sentUuid } from '../schemas/types.ts'

/** Get post (section 4.1). */
export const getPost = operation({
  route: 'GET /post/{uuid}',
  summary: 'Get a post',
  description: eitherKind,
  document: graphql('query GetPost($uuid: UUID!) { post(uuid: $uuid) { ...Post editedAt } }', [postView.fragment]),
  response: {
    description: 'The post.',
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
      argument: 'uuids',
      required: true,
      schema: z.array(sentUuid).min(1).max(maxLookups),
      description: `The uuid of a post or reply. Repeat it for up to ${maxLookups}, such as \`?uuid=…&uuid=…\`.`,
      example: [samplePost.uuid, sampleReply.uuid],
    },
  },
  document: graphql('query GetPosts($uuid: [UUID!]!) { publications(uuids: $uuid) { ...Post } }', [postView.fragment]),
  response: {
    description: 'The posts.',
    schema: z
      .object({
        posts: z
          .array(postView.schema.nullable())
          .max(maxLookups)
          .describe('The posts and replies, with null for each that does not exist.'),
      })
      .describe('Posts and replies, in the order of the request.')
      .register(components, { id: 'Posts', example: { posts: [postView.example, null] } }),
    body: ({ publications }) => ({ posts: publications.map((it) => it && postView.object(it)) }),
  },
})

/** Get post replies (section 4.1). */
export const getPostReplies = operation({
  route: 'GET /post/{uuid}/replies/{page}',
  summary: 'Get the replies to a post',
  description: 'One page of the replies to a post or a reply, oldest first. Pages past the end are empty.',
  scopes: [['post.get', 'reply.get']],
  list: { by: 'number', size: 5, of: ({ post }) => post?.replies },
  document: graphql(
    `query GetPostReplies($uuid: UUID!, $first: Int!, $offset: Int!) {
      post(uuid: $uuid) {
        ...Post
        replies(first: $first, offset: $offset) { nodes { ...Post } pageInfo { hasNextPage } }
      }
    }`,
    [postView.fragment],
  ),
  response: {
    description: 'The post and the page of replies.',
    schema: z
      .object({ post: postView.schema, replies: pageOf(postView.schema).describe('The replies, oldest first.') })
      .describe('A post and one page of its replies.')
      .register(components, {
        id: 'PostReplies',
        example: { post: postView.example, replies: [postView.object(sampleReply)] },
      }),
    body: (data) => {
      const post = found('post', data.post)
      return { post: postView.object(post), replies: post.replies.nodes.map(postView.object) }
    },
  },
})
