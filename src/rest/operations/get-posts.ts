import { z } from 'zod'
import { maxLookups } from '../../reads/lookup-list.ts'
import { graphql, publicationFragment } from '../graphql.ts'
import { eitherKind, operation } from '../operation.ts'
import { post, postObject, samplePost, sampleReply } from '../schemas/posts.ts'
import { components } from '../schemas/types.ts'

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
