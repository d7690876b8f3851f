import { bookmarks } from '../../domain/edges.ts'
import { graphql } from '../graphql.ts'
import { ownList } from '../own-list.ts'
import { postView } from '../schemas/posts.ts'
import { toggle } from '../toggle.ts'

/** Bookmark/unbookmark post, which the interface does not have. */
export const togglePostBookmark = toggle(
  bookmarks,
  graphql('mutation TogglePostBookmark($uuid: UUID!) { toggled: toggleBookmark(input: { uuid: $uuid }) { action } }'),
)

/** Get user bookmarks, which the interface does not have. */
export const getUserBookmarks = ownList(
  bookmarks,
  postView,
  graphql(
    `query GetUserBookmarks($user: UserBy!, $first: Int!, $offset: Int!) {
      user(by: $user) { uuid username list: bookmarks(first: $first, offset: $offset) { nodes { ...Post } pageInfo { hasNextPage } } }
    }`,
    [postView.fragment],
  ),
)
