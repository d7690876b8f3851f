import { z } from 'zod'
import { pageSize } from '../../engine/page-size.ts'
import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { component, text } from '../../engine/rest/types.ts'
import { userView } from '../accounts/rest-views.ts'
import { postView } from '../posts/rest-views.ts'
import { searchBounds } from './reads.ts'

const searchParameter = (description: string, example: string) => ({
  q: { description, required: true, schema: text(searchBounds), example },
})

/** Search posts, which the interface does not have. */
export const searchPosts = list(
  'FoundPosts',
  {
    route: 'GET /search/posts',
    summary: 'Search posts and replies',
    description:
      'One page of the posts and replies that match a text, newest first. `Link` has the next page, if more may follow: a page that looks at many ends early.',
    query: searchParameter(
      'Words that all have to be there, `"a phrase"`, `one OR other`, `-word` for what must not be there, `#hashtag`, `@username`, `from:username`, `since:2026-11-01` and `until:2026-11-30`.',
      'tea OR coffee',
    ),
    by: 'cursor',
    field: 'searchPublications',
    filter: { arguments: 'text: $q', variables: '$q: String!' },
    property: 'posts',
    view: postView,
  },
  'SearchPosts',
)

/** Search users, which the interface does not have. */
export const searchUsers = operation({
  route: 'GET /search/users',
  summary: 'Search users',
  description: `At most ${pageSize.default} users whose username begins with a text, or whose display name has all of its words; those whom the viewer follows first.`,
  query: searchParameter('The text, with or without `@`.', 'henk'),
  document: graphql('query SearchUsers($q: String!) { searchUsers(text: $q) { ...User } }', [userView.fragment]),
  response: {
    schema: component(
      'FoundUsers',
      'Users who were searched for.',
      { users: z.array(userView.schema).max(pageSize.default).describe('The users, the best matches first.') },
      { users: [userView.example] },
    ),
    body: ({ searchUsers }) => ({ users: searchUsers.map(userView.object) }),
  },
})
