import { z } from 'zod'
import { pageSize } from '../../page-size.ts'
import { soughtBounds } from '../../reads/search.ts'
import { graphql } from '../graphql.ts'
import { operation } from '../operation.ts'
import { postView } from '../schemas/posts.ts'
import { components, newText, pageOf } from '../schemas/types.ts'
import { userView } from '../schemas/users.ts'

const soughtText = (description: string, example: string) => ({
  q: { argument: 'text', description, required: true, schema: newText(soughtBounds), example },
})

/** Search posts, which the interface does not have. */
export const searchPosts = operation({
  route: 'GET /search/posts',
  summary: 'Search posts and replies',
  description:
    'One page of the posts and replies that match a text, newest first. `Link` has the next page, if there is one.',
  query: soughtText(
    'Words that all have to be there, `"a phrase"`, `or`, `-word` for what must not be there, `#hashtag` and `@username`.',
    'tea or coffee',
  ),
  list: { by: 'cursor', of: ({ searchPublications }) => searchPublications },
  document: graphql(
    `query SearchPosts($q: String!, $first: Int!, $after: String) {
      searchPublications(text: $q, first: $first, after: $after) { nodes { ...Post } pageInfo { endCursor hasNextPage } }
    }`,
    [postView.fragment],
  ),
  response: {
    description: 'The page of posts and replies.',
    schema: z
      .object({ posts: pageOf(postView.schema).describe('The posts and replies, newest first.') })
      .describe('One page of posts and replies that were searched for.')
      .register(components, { id: 'FoundPosts', example: { posts: [postView.example] } }),
    body: ({ searchPublications }) => ({ posts: searchPublications.nodes.map(postView.object) }),
  },
})

/** Search users, which the interface does not have. */
export const searchUsers = operation({
  route: 'GET /search/users',
  summary: 'Search users',
  description: `At most ${pageSize.default} users whose username begins with a text, or whose display name has all of its words; those whom the owner of the token follows first.`,
  query: soughtText('The text, with or without `@`.', 'henk'),
  document: graphql('query SearchUsers($q: String!) { searchUsers(text: $q) { ...User } }', [userView.fragment]),
  response: {
    description: 'The users.',
    schema: z
      .object({ users: z.array(userView.schema).max(pageSize.default).describe('The users, the best matches first.') })
      .describe('Users who were searched for.')
      .register(components, { id: 'FoundUsers', example: { users: [userView.example] } }),
    body: ({ searchUsers }) => ({ users: searchUsers.map(userView.object) }),
  },
})
