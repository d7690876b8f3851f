import { z } from 'zod'
import { longestHashtag } from '../../domain/entities.ts'
import { graphql } from '../graphql.ts'
import { found, operation } from '../operation.ts'
import { postView } from '../schemas/posts.ts'
import { components, matching, pageOf } from '../schemas/types.ts'

/** The hashtag of the examples. */
export const sampleHashtag = 'birds'

/** Get hashtag posts, which the interface does not have. */
export const getHashtagPosts = operation({
  route: 'GET /tag/{name}/{page}',
  summary: 'Get the posts with a hashtag',
  description:
    'One page of the posts and replies that have a hashtag, newest first. A hashtag that none has gets 404. Pages past the end are empty.',
  list: { by: 'number', of: ({ hashtag }) => hashtag?.publications },
  document: graphql(
    `query GetHashtagPosts($name: String!, $first: Int!, $offset: Int!) {
      hashtag(name: $name) {
        name
        publications(first: $first, offset: $offset) { nodes { ...Post } pageInfo { hasNextPage } }
      }
    }`,
    [postView.fragment],
  ),
  response: {
    description: 'The page of posts and replies.',
    schema: z
      .object({
        tag: matching(/^[^\s#]+$/, longestHashtag, 1).describe('The name of the hashtag, without its sign.'),
        posts: pageOf(postView.schema).describe('The posts and replies, newest first.'),
      })
      .describe('One page of the posts and replies with a hashtag.')
      .register(components, { id: 'HashtagPosts', example: { tag: sampleHashtag, posts: [postView.example] } }),
    body: (data) => {
      const { name, publications } = found('hashtag', data.hashtag)
      return { tag: name, posts: publications.nodes.map(postView.object) }
    },
  },
})
