/** The operations that GraphiQL opens with. */
export const samples = `# Put the cursor into an operation and press Ctrl-Enter, or choose one at the play button.

# Your home timeline: each post with its author and first replies, in one round trip to the database.
query HomeTimeline {
  homeTimeline(first: 10) {
    nodes {
      uuid
      content
      createdAt
      likeCount
      viewerHasLiked
      author { username displayName viewerIsFollowing }
      replies(first: 3) {
        totalCount
        nodes { content author { username } }
      }
    }
    pageInfo { hasNextPage endCursor }
  }
}

# Like a post, or unlike it. Take a uuid from the timeline above.
mutation ToggleLike {
  toggleLike(input: { uuid: "00000000-0000-7000-8000-000000000000" }) {
    action
    publication { likeCount viewerHasLiked }
  }
}

# Reply to a post.
mutation SendReply {
  sendReply(input: { parent: "00000000-0000-7000-8000-000000000000", content: "Well said!" }) {
    reply { uuid content parentUuid createdAt }
  }
}

# Follow somebody, or unfollow them.
mutation ToggleFollow {
  toggleFollow(input: { uuid: "00000000-0000-7000-8000-000000000000" }) {
    action
    user { username followerCount }
  }
}
`
