/** The query that the landing page runs. `statement.sql` has the one statement that it becomes. */
export const query = `query LatestPost {
  viewer {
    posts(first: 1) {
      nodes {
        content
        likeCount
        replies(first: 2) {
          nodes {
            content
            author { displayName }
          }
        }
      }
    }
  }
}` as const
