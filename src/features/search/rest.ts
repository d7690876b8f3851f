import { pageSize } from '../../engine/compiler/limits.ts'
import { graphql } from '../../engine/rest/graphql.ts'
import { list } from '../../engine/rest/list.ts'
import { operation } from '../../engine/rest/operation.ts'
import { view } from '../../engine/rest/view.ts'
import { sampleUser, userView } from '../accounts/rest-views.ts'
import { languageFilter, postView } from '../posts/rest-views.ts'

const searchParameter = (description: string, example: string) => ({ q: { description, example } })

/** Search posts, which the interface does not have. */
export const searchPosts = list(
  'FoundPosts',
  {
    route: 'GET /search/posts',
    summary: 'Search posts and replies',
    description:
      'One page of the posts and replies that match a text, newest first. `Link` has the next page, if ' +
      'more may follow: a page that looks at many ends early.',
    query: {
      ...searchParameter(
        'Words that all have to be there, `"a phrase"`, `one OR other`, `-word` for what must not be there, ' +
          '`#hashtag`, `@username`, `from:username`, `since:2026-11-01` and `until:2026-11-30`.',
        'tea OR coffee',
      ),
      ...languageFilter.query,
    },
    by: 'cursor',
    field: 'searchPublications',
    filter: {
      arguments: `text: $q, ${languageFilter.arguments}`,
      variables: `$q: String!, ${languageFilter.variables}`,
    },
    property: 'posts',
    view: postView,
  },
  'SearchPosts',
)

const foundUsersView = view(
  'FoundUsers',
  'Query',
  'Users who were searched for.',
  { searchUsers: [sampleUser] },
  {
    users: [
      'searchUsers(text: $q)',
      userView,
      { description: 'The users, the best matches first.', maxItems: pageSize.default },
    ],
  },
)

/** Search users, which the interface does not have. */
export const searchUsers = operation({
  route: 'GET /search/users',
  summary: 'Search users',
  description:
    `At most ${pageSize.default} users whose username begins with a text, or whose display name has all ` +
    'of its words; accounts that the viewer follows come first.',
  query: searchParameter('The text, with or without `@`.', 'henk'),
  document: graphql('query SearchUsers($q: String!) { ...FoundUsers }', [foundUsersView.fragment]),
  view: foundUsersView,
  of: (data) => data,
})
