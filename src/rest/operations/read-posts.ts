import { z } from 'zod'
import { maxLookups } from '../../reads/lookup-list.ts'
import { graphql, publicationFragment, publicationVersions } from '../graphql.ts'
import { eitherKind, found, operation } from '../operation.ts'
import { post, postObject, samplePost, sampleReply } from '../schemas/posts.ts'
import { components, pageOf } from '../schemas/types.ts'

/** Get post (section 4.1). */
export const getPost = operation({
  route: 'GET /post/{uuid}',
  summary: 'Get a post',
  description: eitherKind,
  document: graphql('query GetPost($uuid: UUID!) { post(uuid: $uuid) { ...Publication ...PublicationVersions } }', [
    publicationFragment,
    publicationVersions,
  ]),
  response: { description: 'The post.', schema: post, body: ({ post }) => postObject(found('post', post)) },
  tagged: { form: 'post', resource: ({ post }) => post },
})

/** Get posts, which the interface does not have. */
export const getPosts = operation({
  route: 'GET /post',
  summary: 'Get several posts',
  description: `In the order of \`uuid\`, with null for each that does not exist or was deleted. ${eitherKind}`,
  uuids: {
    description: `The uuid of a post or reply. Repeat it for up to ${maxLookups}, such as \`?uuid=…&uuid=…\`.`,
    example: [samplePost.uuid, sampleReply.uuid],
  },
  document: graphql('query GetPosts($uuids: [UUID!]!) { publications(uuids: $uuids) { ...Publication } }', [
    publicationFragment,
  ]),
  response: {
    description: 'The posts.',
    schema: z
      .object({
        posts: z
          .array(post.nullable())
          .max(maxLookups)
          .describe('The posts and replies, with null for each that does not exist.'),
      })
      .describe('Posts and replies, in the order of the request.')
      .register(components, { id: 'Posts', example: { posts: [postObject(samplePost), null] } }),
    body: ({ publications }) => ({ posts: publications.map((it) => it && postObject(it)) }),
  },
})

/** Get post replies (section 4.1). */
export const getPostReplies = operation({
  route: 'GET /post/{uuid}/replies/{page}',
  summary: 'Get the replies to a post',
  description: 'One page of the replies to a post or a reply, oldest first. Pages past the end are empty.',
  scopes: [['post.get', 'reply.get']],
  pages: { size: 5, list: ({ post }) => post?.replies },
  document: graphql(
    `query GetPostReplies($uuid: UUID!, $first: Int!, $offset: Int!) {
      post(uuid: $uuid) {
        ...Publication
        replies(first: $first, offset: $offset) { nodes { ...Publication } pageInfo { hasNextPage } }
      }
    }`,
    [publicationFragment],
  ),
  response: {
    description: 'The post and the page of replies.',
    schema: z
      .object({ post, replies: pageOf(post).describe('The replies, oldest first.') })
      .describe('A post and one page of its replies.')
      .register(components, {
        id: 'PostReplies',
        example: { post: postObject(samplePost), replies: [postObject(sampleReply)] },
      }),
    body: (data) => {
      const post = found('post', data.post)
      return { post: postObject(post), replies: post.replies.nodes.map(postObject) }
    },
  },
})
